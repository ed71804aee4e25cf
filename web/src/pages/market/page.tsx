import { useCallback, useState } from 'preact/hooks';
import { useApp } from '../../app-context.js';
import { useQuery } from '../../graphql/use-query.js';
import type { PageProps } from '../../router.js';
import { texts } from '../../texts.js';
import { Card } from '../../ui/card.js';
import { FeedList } from '../../ui/feed/feed-list.js';
import { useLiveFeed } from '../../ui/feed/use-live-feed.js';
import { useSettled } from '../../ui/page-head.js';
import { ProblemView, StaleNote } from '../../ui/problem-view.js';
import { Leaderboard } from './leaderboard.js';
import { marketQuery, type Totals, totalsQuery } from './queries.js';
import { TotalsStrip } from './totals.js';
import { Trending } from './trending.js';
import './market.css';

/** The market at a glance: totals, trending agents, leaderboard and live feed. */
export default function MarketPage(_: PageProps) {
  const { data, problem, reload } = useQuery(marketQuery, {});
  const [totals, renewTotals] = useTotals(data?.marketStats);
  const onGap = useCallback(() => reload(), [reload]);
  const feed = useLiveFeed(data?.feed.nodes, { onGap, onEvent: renewTotals });
  useSettled(data !== undefined);
  if (!data && problem) return <ProblemView problem={problem} retry={reload} isPage />;
  return (
    <div class="market">
      <div class="page-title">
        <h1>{texts.market.heading}</h1>
        <p class="muted">{texts.market.lead}</p>
      </div>
      {data && <StaleNote problem={problem} />}
      <TotalsStrip totals={totals} />
      <div class="columns">
        <div class="stack">
          <Trending trends={data?.trending.nodes} />
          <Leaderboard first={data?.leaderboard} />
        </div>
        <Card title={texts.feed.title} class="live">
          <FeedList feed={feed} isLoading={data === undefined} rows={12} />
        </Card>
      </div>
    </div>
  );
}

/** Pause between two reads of the totals while events arrive. */
const PAUSE_MS = 5000;

/** The totals, read again a moment after an event. They change in place. */
function useTotals(first: Totals | undefined): [Totals | undefined, () => void] {
  const { connection } = useApp();
  const [renewed, setRenewed] = useState<{ readonly base: Totals | undefined; readonly totals: Totals } | undefined>();
  const [isWaiting] = useState({ current: false });
  const renew = useCallback(() => {
    if (isWaiting.current) return;
    isWaiting.current = true;
    setTimeout(async () => {
      isWaiting.current = false;
      const answer = await connection.query(totalsQuery, {}).catch(() => undefined);
      if (answer) setRenewed({ base: first, totals: answer.marketStats });
    }, PAUSE_MS);
  }, [connection, first]);
  return [renewed && renewed.base === first ? renewed.totals : first, renew];
}
