import type { ComponentChildren } from 'preact';
import { count } from '../../format/number.js';
import { texts } from '../../texts.js';
import { AgentLink, agentHref } from '../../ui/agent/agent-link.js';
import { Tabs } from '../../ui/control/tabs.js';
import { useChoice } from '../../ui/control/use-choice.js';
import { Amount } from '../../ui/figure/amount.js';
import { Empty, ProblemView, StaleNote } from '../../ui/problem-view.js';
import { RowTable } from '../../ui/row-table.js';
import { Bar } from '../../ui/skeleton.js';
import { useScript } from '../../ui/use-script.js';
import type { Portfolio, Position } from './positions.js';
import { portfolioTexts } from './texts.js';
import type { WalletData } from './use-portfolio.js';
import { WalletTrades } from './wallet-trades.js';

const words = portfolioTexts;
const COLUMNS = ['', 'num', 'num', 'num wide', 'num', 'num'];
/** Names of the values. On phones a row is a card, which shows each value beside its name, taken from `data-name`. */
const [, TICKETS, VALUE, COST, PROFIT] = words.columns;

/** The totals, positions and trades of a wallet. They change live. */
export function WalletView({ wallet, data: portfolio, problem, reading, reload }: WalletData & { readonly wallet: string }) {
  const [tab, setTab] = useChoice<keyof typeof words.tabs>('tab', words.tabs, 'positions');
  if (!portfolio && problem) return <ProblemView problem={problem} retry={reload} />;
  return (
    <>
      <StaleNote problem={problem} />
      <Totals portfolio={portfolio} />
      <section class="card" aria-label={words.lists}>
        <Tabs label={words.lists} tabs={words.tabs} chosen={tab} choose={setTab}>
          {tab === 'profit' ? (
            <Profits wallet={wallet} trades={portfolio?.trades.length} />
          ) : tab !== 'positions' ? (
            <WalletTrades key={tab} list={tab} trades={portfolio?.trades} isReading={reading !== undefined} />
          ) : portfolio?.positions.length === 0 ? (
            <Empty>{words.empty}</Empty>
          ) : (
            <Positions portfolio={portfolio} />
          )}
          {reading !== undefined && <p class="empty muted num">{words.reading(count(reading))}</p>}
        </Tabs>
      </section>
    </>
  );
}

/** The profit over time. Its script loads when the reader chooses the tab. */
function Profits(props: { readonly wallet: string; readonly trades: number | undefined }) {
  const { loaded, problem, load } = useScript(() => import('../../ui/profit/profit-view.js'));
  if (loaded) return <loaded.ProfitView {...props} />;
  return problem ? <ProblemView problem={problem} retry={load} /> : <div class="profit-waits" aria-busy="true" />;
}

/** The sums over all positions and sales: value, cost, and profit or loss. */
export function Totals({ portfolio }: { readonly portfolio: Portfolio | undefined }) {
  const total = portfolio && portfolio.realized + portfolio.unrealized;
  return (
    <section class="card" aria-label={words.totals} aria-busy={portfolio === undefined}>
      <dl class="sums">
        <Figure name={words.value}>{portfolio && <Amount wei={portfolio.value} usd="below" />}</Figure>
        <Figure name={words.cost}>{portfolio && <Amount wei={portfolio.cost} usd="below" />}</Figure>
        <Figure name={words.unrealized}>{portfolio && <Amount wei={portfolio.unrealized} usd="below" signed />}</Figure>
        <Figure name={words.realized}>{portfolio && <Amount wei={portfolio.realized} usd="below" signed />}</Figure>
        <Figure name={words.total}>{total !== undefined && <Amount wei={total} usd="below" signed />}</Figure>
      </dl>
    </section>
  );
}

function Figure({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div class="figure">
      <dt>{name}</dt>
      <dd class="num">{children || <Bar width={8} />}</dd>
    </div>
  );
}

/** The positions of the wallet as a table, with a row for each agent. */
export function Positions({ portfolio }: { readonly portfolio: Portfolio | undefined }) {
  return (
    <RowTable
      class="positions"
      caption={words.caption}
      heads={words.columns}
      columns={COLUMNS}
      rows={portfolio?.positions}
      loading={{ rows: 3, widths: [16, 4, 9, 9, 9, 6] }}
      row={(position) => <PositionRow key={position.address} position={position} />}
    />
  );
}

function PositionRow({ position: { address, agent, tickets, cost, value } }: { readonly position: Position }) {
  return (
    <tr>
      <th scope="row">
        <AgentLink agent={agent ?? null} address={address} size={28} />
      </th>
      <td class="num" data-name={TICKETS}>
        {count(tickets)}
      </td>
      <td class="num" data-name={VALUE}>
        {value === undefined ? '–' : <Amount wei={value} usd="below" />}
      </td>
      <td class="num wide" data-name={COST}>
        <Amount wei={cost} usd="none" />
      </td>
      <td class="num" data-name={PROFIT}>
        {value === undefined ? '–' : <Amount wei={value - cost} usd="below" signed />}
      </td>
      <td class="num">
        {agent && (
          <a class="button quiet" href={`${agentHref(agent.agentId)}#trade`}>
            {texts.trade.title}
            <span class="hidden"> {agent.name}</span>
          </a>
        )}
      </td>
    </tr>
  );
}
