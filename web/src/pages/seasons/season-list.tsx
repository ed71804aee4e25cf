import { useApp } from '../../app-context.js';
import { points } from '../../format/number.js';
import { dateText } from '../../format/time.js';
import { AgentLink } from '../../ui/agent/agent-link.js';
import { Card } from '../../ui/card.js';
import { More } from '../../ui/control/more.js';
import { Empty } from '../../ui/problem-view.js';
import { Bar } from '../../ui/skeleton.js';
import { usePages } from '../../ui/use-pages.js';
import { type SeasonPage, seasonListQuery } from './queries.js';
import { seasonTexts } from './texts.js';

type Props = {
  readonly first: SeasonPage | undefined;
  /** Number of the season that the page shows, which the list marks. */
  readonly shown: number | undefined;
};

/** All seasons, newest first, each with the agent that leads or won it. */
export function SeasonList({ first, shown }: Props) {
  const { connection } = useApp();
  const pages = usePages('seasons', first, first, async (after) =>
    after === null ? undefined : (await connection.query(seasonListQuery, { after })).seasons,
  );
  const words = seasonTexts;
  return (
    <Card title={words.all}>
      {pages.rows?.length === 0 && <Empty>{words.none}</Empty>}
      <ul class="season-list" aria-busy={first === undefined}>
        {pages.rows?.map(({ number, startDate, endDate, isActive, leaderboard }) => {
          const best = leaderboard.nodes[0];
          return (
            <li key={number}>
              <p class="line">
                <a href={`/seasons/${number}`} aria-current={number === shown ? 'page' : undefined}>
                  {words.numbered(number)}
                </a>
                {isActive && <span class="chip">{words.running}</span>}
                <span class="muted small">{words.dates(dateText(Date.parse(startDate)), dateText(Date.parse(endDate)))}</span>
              </p>
              {best && (
                <p class="line small">
                  <AgentLink agent={best.agent} address={best.walletAddress} size={20} />
                  <span class="muted num">{words.withPoints(points(best.totalPoints))}</span>
                </p>
              )}
            </li>
          );
        }) ??
          Array.from({ length: 2 }, (_, i) => (
            <li key={i} aria-hidden="true">
              <p class="line">
                <Bar width={26} />
              </p>
              <p class="line small">
                <Bar width={18} />
              </p>
            </li>
          ))}
      </ul>
      {pages.hasMore && <More pages={pages} />}
    </Card>
  );
}
