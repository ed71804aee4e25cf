import { useApp } from '../../app-context.js';
import { count } from '../../format/number.js';
import { texts } from '../../texts.js';
import { AgentLink } from '../../ui/agent/agent-link.js';
import { Card } from '../../ui/card.js';
import { More } from '../../ui/control/more.js';
import { Amount } from '../../ui/figure/amount.js';
import { Change } from '../../ui/figure/change.js';
import { Empty } from '../../ui/problem-view.js';
import { RowTable } from '../../ui/row-table.js';
import { usePages } from '../../ui/use-pages.js';
import { NewOrder } from './new-order.js';
import { type Board, leaderboardQuery, type Ranked } from './queries.js';
import { steadyRows, useChosen } from './steady-rows.js';
import type { Latest } from './use-figures.js';

const ROWS = 10;
const COLUMNS = ['rank num wide', '', 'num', 'num', 'num wide', 'num wide'];

type Props = {
  readonly first: Board | undefined;
  readonly latest: Latest | undefined;
  /** The component writes the number of shown rows into this reference. */
  readonly shownRows: { current: number };
};

/** Agents with the most tickets in circulation, ten at a time. Their values change in place. */
export function Leaderboard({ first, latest, shownRows }: Props) {
  const { connection } = useApp();
  const [chosen, choose] = useChosen(first);
  const pages = usePages('leaderboard', chosen, chosen, async (after) =>
    after === null ? undefined : (await connection.query(leaderboardQuery, { after })).leaderboard,
  );
  const now = latest?.figures.leaderboard;
  const { rows, isReordered } =
    pages.rows && latest && now
      ? steadyRows(pages.rows, now.nodes, latest.rows)
      : { rows: pages.rows, isReordered: false };
  shownRows.current = Math.max(ROWS, rows?.length ?? 0);
  const words = texts.market.leaderboard;
  const { agent, price, change, supply, holders } = texts.common;
  return (
    <Card title={words.title} actions={isReordered && now && <NewOrder show={() => choose(now)} />}>
      {rows?.length === 0 ? (
        <Empty>{words.empty}</Empty>
      ) : (
        <RowTable
          class="rows-10 stacked"
          caption={words.caption}
          heads={['#', agent, price, change, supply, holders]}
          columns={COLUMNS}
          rows={rows}
          loading={{ rows: ROWS, widths: [2, 16, 10, 7, 5, 5] }}
          row={({ agent }, i) => <BoardRow key={agent.id} rank={i + 1} agent={agent} />}
        />
      )}
      <More pages={pages} text={words.more} />
    </Card>
  );
}

function BoardRow({ rank, agent }: Ranked & { readonly rank: number }) {
  return (
    <tr>
      <td class={COLUMNS[0]}>{rank}</td>
      <th scope="row">
        <AgentLink agent={agent} address={agent.id} size={28} />
      </th>
      <td class={COLUMNS[2]}>
        <Amount wei={agent.ticketPrice} usd="below" />
      </td>
      <td class={COLUMNS[3]}>
        <Change percent={agent.priceChange24h} />
      </td>
      <td class={COLUMNS[4]}>{count(agent.totalSupply)}</td>
      <td class={COLUMNS[5]}>{count(agent.holderCount)}</td>
    </tr>
  );
}
