import { useState } from 'preact/hooks';
import { count, counted } from '../../format/number.js';
import { texts } from '../../texts.js';
import { AgentLink } from '../../ui/agent/agent-link.js';
import { Download } from '../../ui/control/download.js';
import { More } from '../../ui/control/more.js';
import { Amount } from '../../ui/figure/amount.js';
import { Time } from '../../ui/figure/time.js';
import { Empty } from '../../ui/problem-view.js';
import { RowTable } from '../../ui/row-table.js';
import { useKept } from '../../ui/use-kept.js';
import { isSaleOf } from '../../ui/wallet/trades.js';
import type { ListedTrade } from './positions.js';
import { portfolioTexts } from './texts.js';

const words = portfolioTexts.trades;
const COLUMNS = ['', '', 'num wide', 'num', 'num', 'num muted wide'];
const ROWS = 20;

type Props = {
  /** All trades, or only the sales, each of which has a profit. */
  readonly list: 'closed' | 'trades';
  /** All trades of the wallet, newest first. undefined while they are loading. */
  readonly trades: readonly ListedTrade[] | undefined;
  /** Whether older trades are still to come. */
  readonly isReading: boolean;
};

const CSV = ['id', 'createdAt', 'agentAddress', 'amount', 'total', 'realizedPnlWei'] as const;
/** A row of the file. It has the id of REST, which ids in GraphQL end with. */
const plain = ({ agent: _, id, ...trade }: ListedTrade) => ({ ...trade, id: id.slice('Trade:'.length) });

/** The trades of a wallet. New trades wait above the list for a click, so that the rows keep their place. */
export function WalletTrades({ list, trades: given, isReading }: Props) {
  const trades = list === 'closed' ? given?.filter(isSaleOf) : given;
  const [size, setSize] = useKept(`wallet-${list}`, ROWS);
  const [first, setFirst] = useState<string | undefined>(undefined);
  // `first` is the id of the newest trade in the list. A reorg may have removed that trade, so it is then set again.
  if (trades?.[0] && trades.every(({ id }) => id !== first)) setFirst(trades[0].id);
  const waiting = Math.max(0, trades?.findIndex(({ id }) => id === first) ?? 0);
  const rows = trades?.slice(waiting, waiting + size);
  const hasMore = trades !== undefined && waiting + size < trades.length;
  if (rows?.length === 0) return <Empty>{words.empty[list]}</Empty>;
  return (
    <>
      <div class="trades-head">
        <p class="small muted">{words.captions[list]}</p>
        {waiting > 0 && (
          <button type="button" class="button quiet" onClick={() => setFirst(undefined)}>
            {counted(waiting, words.newOne)}
          </button>
        )}
        {trades && !isReading && (
          <Download name={`${list}.csv`} text={portfolioTexts.download} columns={CSV} rows={trades.map(plain)} />
        )}
      </div>
      <RowTable
        class="positions"
        caption={words.captions[list]}
        heads={words.columns[list]}
        columns={COLUMNS}
        rows={rows}
        loading={{ rows: 10, widths: [16, 9, 9, 9, 9, 8] }}
        row={(trade) => <TradeRow key={trade.id} trade={trade} list={list} />}
      />
      <More pages={{ rows, hasMore, isBusy: false, problem: undefined, more: () => setSize(size + ROWS) }} />
    </>
  );
}

function TradeRow({ trade, list }: { readonly trade: ListedTrade; readonly list: Props['list'] }) {
  // On phones a row is a card, which shows each value beside its name, taken from `data-name`.
  const [, TRADE, COST, AMOUNT, PROFIT, TIME] = words.columns[list];
  const { agent, agentAddress, amount, total, realizedPnlWei, createdAt } = trade;
  const isSale = isSaleOf(trade);
  const profit = BigInt(realizedPnlWei ?? '0');
  return (
    <tr>
      <th scope="row">
        <AgentLink agent={agent ?? null} address={agentAddress} size={24} />
      </th>
      <td data-name={TRADE}>
        <span>
          <span class={list === 'closed' ? undefined : isSale ? 'down' : 'up'}>{isSale ? texts.feed.sold : texts.feed.bought}</span>{' '}
          <span class="num">{count(amount)}</span>
        </span>
      </td>
      <td class={`num wide ${isSale ? '' : 'no-value'}`} data-name={COST}>
        {isSale ? <Amount wei={BigInt(total) - profit} usd="none" /> : '–'}
      </td>
      <td class="num" data-name={AMOUNT}>
        <Amount wei={total} usd="below" />
      </td>
      <td class={`num ${isSale ? '' : 'no-value'}`} data-name={PROFIT}>
        {isSale ? <Amount wei={profit} usd="below" signed /> : '–'}
      </td>
      <td class="num muted wide" data-name={TIME}>
        <Time at={createdAt} />
      </td>
    </tr>
  );
}
