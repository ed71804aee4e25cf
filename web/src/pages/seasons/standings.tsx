import { useApp } from '../../app-context.js';
import { count, points } from '../../format/number.js';
import { texts } from '../../texts.js';
import { AgentLink } from '../../ui/agent/agent-link.js';
import { Card } from '../../ui/card.js';
import { More } from '../../ui/control/more.js';
import type { Category } from '../../ui/figure/season-points.js';
import { Empty } from '../../ui/problem-view.js';
import { RowTable } from '../../ui/row-table.js';
import { usePages } from '../../ui/use-pages.js';
import { type Season, standingsQuery } from './queries.js';
import { seasonTexts } from './texts.js';

/** The categories that have a column here. The table of the chart shows all categories. */
const SHOWN: readonly Category[] = ['referralPoints', 'holderPoints', 'holdingPoints', 'verifiedBonus'];
const COLUMNS = ['rank num', '', ...SHOWN.map(() => 'num wide'), 'num'];

/** All agents with points in the season, best rank first. */
export function Standings({ season }: { readonly season: Season | undefined }) {
  const { connection } = useApp();
  const pages = usePages('standings', season, season?.leaderboard, async (after) =>
    season && after !== null
      ? (await connection.query(standingsQuery, { number: season.number, after })).season?.leaderboard
      : undefined,
  );
  const words = seasonTexts.board;
  const heads = ['#', texts.common.agent, ...SHOWN.map((one) => texts.points[one]), words.total];
  return (
    <Card title={words.title}>
      {pages.rows?.length === 0 ? (
        <Empty>{words.empty}</Empty>
      ) : (
        <RowTable
          class="rows-10"
          caption={words.caption}
          heads={heads}
          columns={COLUMNS}
          rows={pages.rows}
          loading={{ rows: 10, widths: [2, 16, 6, 6, 6, 6, 6] }}
          row={({ rank, agent, walletAddress, breakdown, totalPoints }) => (
            <tr key={walletAddress}>
              <td class={COLUMNS[0]}>{count(rank)}</td>
              <th scope="row">
                <AgentLink agent={agent} address={walletAddress} size={28} />
              </th>
              {SHOWN.map((one) => (
                <td key={one} class="num wide">
                  {points(breakdown[one])}
                </td>
              ))}
              <td class="num">
                <strong>{points(totalPoints)}</strong>
              </td>
            </tr>
          )}
        />
      )}
      <More pages={pages} />
    </Card>
  );
}
