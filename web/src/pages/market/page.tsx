import { useState } from 'preact/hooks';
import { useQuery } from '../../graphql/use-query.js';
import type { PageProps } from '../../router.js';
import { texts } from '../../texts.js';
import { Card } from '../../ui/card.js';
import { Tabs } from '../../ui/control/tabs.js';
import { useChoice } from '../../ui/control/use-choice.js';
import { FeedList } from '../../ui/feed/feed-list.js';
import { useLiveFeed } from '../../ui/feed/use-live-feed.js';
import { useSettled } from '../../ui/page-head.js';
import { PageTitle } from '../../ui/page-title.js';
import { ProblemView, StaleNote } from '../../ui/problem-view.js';
import { useScript } from '../../ui/use-script.js';
import { BestReasons } from './best-reasons.js';
import { AllAgents } from './list/all-agents.js';
import { type Market, marketQuery } from './queries.js';
import { marketTexts } from './texts.js';
import { TotalsStrip } from './totals.js';
import { Trending } from './trending.js';
import { useFigures } from './use-figures.js';
import './market.css';

const tabs = marketTexts.tabs;

/** The start page, which shows the market at a glance: totals, trending or all agents, the live feed, and the best reasons. */
export default function MarketPage(_: PageProps) {
  const { data, problem, reload } = useQuery(marketQuery, {}, { isExtended: true });
  const { figures, latest, renew, shownList } = useFigures(data);
  const [tab, setTab] = useChoice<keyof typeof tabs>('list', tabs, 'trending');
  // The answer that was shown when events were missed. After `reload` has read another answer, nothing is missed.
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
      <PageTitle heading={marketTexts.heading} lead={marketTexts.lead} />
      {data && <StaleNote problem={problem} />}
      <TotalsStrip totals={figures?.marketStats ?? data?.marketStats} />
      <div class="columns">
        <Card title={marketTexts.agents} class="agents">
          <Tabs label={marketTexts.agents} tabs={tabs} chosen={tab} choose={setTab}>
            {tab === 'watched' ? (
              <Watched latest={figures} />
            ) : tab === 'all' ? (
              <AllAgents latest={latest} shownList={shownList} />
            ) : (
              <Trending first={data?.trending.nodes} latest={figures?.trending.nodes} />
            )}
          </Tabs>
        </Card>
        <Card title={texts.feed.title} class="live">
          <FeedList feed={feed} isLoading={data === undefined} rows={8} missed={data && missedOf === data ? reload : undefined} />
        </Card>
        <BestReasons ranks={data?.thesisLeaderboard.nodes} />
      </div>
    </div>
  );
}

/** The tab with the watchlist. Its script loads when the reader chooses the tab. */
function Watched(props: { readonly latest: unknown }) {
  const { loaded, problem, load } = useScript(() => import('./watched-agents.js'));
  if (loaded) return <loaded.WatchedAgents {...props} />;
  return problem ? <ProblemView problem={problem} retry={load} /> : <div aria-busy="true" />;
}
