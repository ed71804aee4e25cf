import { useApp } from '../../app-context.js';
import { counted } from '../../format/number.js';
import { countdown, dateText } from '../../format/time.js';
import type { Problem } from '../../graphql/problem.js';
import { texts } from '../../texts.js';
import { Card } from '../../ui/card.js';
import { Time } from '../../ui/figure/time.js';
import { usePageTitle, useSettled } from '../../ui/page-head.js';
import { Empty, ProblemView, StaleNote } from '../../ui/problem-view.js';
import { Bar } from '../../ui/skeleton.js';
import { PointsChart } from './points-chart.js';
import type { Season, SeasonPage } from './queries.js';
import { Check, Rules } from './rules.js';
import { SeasonList } from './season-list.js';
import { Standings } from './standings.js';
import { seasonTexts } from './texts.js';
import { Unlinked } from './unlinked.js';
import './seasons.css';

type Props = {
  /** The season to show. undefined while it is loading. null if no season has started yet. */
  readonly season: Season | null | undefined;
  readonly seasons: SeasonPage | undefined;
  readonly problem: Problem | undefined;
  readonly reload: () => void;
};

/** A season: its time, who leads and why, the rules, and the other seasons. */
export function SeasonView({ season, seasons, problem, reload }: Props) {
  const words = seasonTexts;
  usePageTitle(season ? words.numbered(season.number) : texts.seasons.title);
  useSettled(season !== undefined);
  if (season === undefined && problem) return <ProblemView problem={problem} retry={reload} isPage />;
  return (
    <div class="season">
      <Head season={season} />
      {season !== undefined && <StaleNote problem={problem} />}
      <div class="columns">
        <div class="stack">
          {season === null ? (
            <Card title={words.board.title}>
              <Empty>{words.none}</Empty>
            </Card>
          ) : (
            <>
              <PointsChart standings={season?.leaderboard.nodes} />
              <Standings season={season} />
              <Unlinked season={season} />
            </>
          )}
        </div>
        <div class="stack">
          <SeasonList first={seasons} shown={season?.number} />
          <Rules />
          <Check season={season} />
        </div>
      </div>
    </div>
  );
}

function Head({ season }: { readonly season: Season | null | undefined }) {
  const words = seasonTexts;
  return (
    <div class="page-title season-head">
      <div>
        <h1>{season ? words.numbered(season.number) : texts.seasons.title}</h1>
        <p class="muted">{words.lead}</p>
      </div>
      <div class="season-time num" aria-busy={season === undefined}>
        {season === null ? null : season ? <Span season={season} /> : <Bar width={20} />}
      </div>
    </div>
  );
}

/** The time until the season starts or ends, its dates, and its number of agents. */
function Span({ season: { startDate, endDate, isFrozen, agentCount } }: { readonly season: Season }) {
  const { now } = useApp();
  const words = seasonTexts;
  const [start, end] = [Date.parse(startDate), Date.parse(endDate)];
  const isFuture = start > now.value;
  const isOver = end <= now.value;
  return (
    <>
      <p class="left">
        {isOver ? (
          <>
            {words.ended} <Time at={endDate} />
          </>
        ) : (
          <>
            {isFuture ? words.startsIn : words.endsIn}{' '}
            <strong role="timer" aria-live="off">
              {countdown((isFuture ? start : end) - now.value)}
            </strong>
          </>
        )}
      </p>
      <p class="muted small">
        {[
          words.dates(dateText(start), dateText(end)),
          counted(agentCount, words.agent),
          isOver ? (isFrozen ? words.frozen : words.settling) : words.daily,
        ].join(' · ')}
      </p>
    </>
  );
}
