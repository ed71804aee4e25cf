import { count } from '../../format/number.js';
import { texts } from '../../texts.js';
import { AgentLink } from '../../ui/agent/agent-link.js';
import { More } from '../../ui/control/more.js';
import { Late } from '../../ui/feed/verdict.js';
import { Amount } from '../../ui/figure/amount.js';
import { Time } from '../../ui/figure/time.js';
import { Empty, ProblemView } from '../../ui/problem-view.js';
import { RowTable } from '../../ui/row-table.js';
import type { Pages } from '../../ui/use-pages.js';
import type { Trade } from './queries.js';

const COLUMNS = ['', '', 'num wide', 'num', 'num wide'];

/** Trades, newest first, each with the reason that the trader gave. */
export function TradeTable({ pages }: { readonly pages: Pages<Trade> }) {
  const { rows } = pages;
  const words = texts.agent.trades;
  if (!rows && pages.problem) return <ProblemView problem={pages.problem} retry={pages.more} />;
  return (
    <>
      {rows?.length === 0 ? (
        <Empty>{words.empty}</Empty>
      ) : (
        <RowTable
          class="trades stacked two-lines"
          caption={words.caption}
          heads={words.columns}
          columns={COLUMNS}
          rows={rows}
          loading={{ rows: 10, widths: [12, 7, 9, 9, 8] }}
          row={(trade) => <TradeRow key={trade.id} trade={trade} />}
        />
      )}
      <More pages={pages} />
    </>
  );
}

function TradeRow({ trade }: { readonly trade: Trade }) {
  const { type, amount, total, thesis, eligibility, createdAt, trader, traderAddress } = trade;
  const isPurchase = type === 'BUY' || type === 'AGENT_BUY';
  return (
    <tr>
      <th scope="row">
        <AgentLink agent={trader} address={traderAddress} size={24} />
        <p class="narrow small muted">
          <Time at={createdAt} />
        </p>
        {thesis && (
          <p class="thesis small muted">
            <bdi>{thesis}</bdi>
            <Late if={eligibility} />
          </p>
        )}
      </th>
      <td>
        <span class={isPurchase ? 'up' : 'down'}>{isPurchase ? texts.feed.bought : texts.feed.sold}</span>{' '}
        <span class="num">{count(amount)}</span>
      </td>
      <td class="num wide">
        <Amount wei={BigInt(total) / BigInt(amount)} usd="none" />
      </td>
      <td class="num">
        <Amount wei={total} usd="below" />
      </td>
      <td class="num muted wide">
        <Time at={createdAt} />
      </td>
    </tr>
  );
}
