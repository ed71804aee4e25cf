import { useState } from 'preact/hooks';
import { useQuery } from '../../graphql/use-query.js';
import type { PageProps } from '../../router.js';
import { texts } from '../../texts.js';
import { Card } from '../../ui/card.js';
import { FeedList } from '../../ui/feed/feed-list.js';
import { useLiveFeed } from '../../ui/feed/use-live-feed.js';
import { useSettled } from '../../ui/page-head.js';
import { PageTitle } from '../../ui/page-title.js';
import { ProblemView, StaleNote } from '../../ui/problem-view.js';
import { Leaderboard } from './leaderboard.js';
import { type Market, marketQuery } from './queries.js';
import { TotalsStrip } from './totals.js';
import { Trending } from './trending.js';
import { useFigures } from './use-figures.js';
import './market.css';

/** The market at a glance: totals, trending agents, leaderboard and live feed. */
export default function MarketPage(_: PageProps) {
  const { data, problem, reload } = useQuery(marketQuery, {}, { isExtended: true });
  const { latest, renew, shownRows } = useFigures(data);
  const [missedOf, setMissedOf] = useState<Market | undefined>(undefined);
  const onGap = () => {
    // Inserting the missed events would move the list, so they wait until the reader asks for them.
    setMissedOf(data);
    renew();
  };
  const feed = useLiveFeed(data?.feed.nodes, { onGap, onEvent: renew });
  useSettled(data !== undefined);
  if (!data && problem) return <ProblemView problem={problem} retry={reload} isPage />;
  return (
    <div class="market">
      <PageTitle heading={texts.market.heading} lead={texts.market.lead} />
      {data && <StaleNote problem={problem} />}
      <TotalsStrip totals={latest?.figures.marketStats ?? data?.marketStats} />
      <div class="columns">
        <div class="stack">
          <Trending first={data?.trending.nodes} latest={latest?.figures.trending.nodes} />
          <Leaderboard first={data?.leaderboard} latest={latest} shownRows={shownRows} />
        </div>
        <Card title={texts.feed.title} class="live">
          <FeedList
            feed={feed}
            isLoading={data === undefined}
            rows={12}
            missed={data && missedOf === data ? reload : undefined}
          />
        </Card>
      </div>
    </div>
  );
}
