import { useApp } from '../../app-context.js';
import type { PageProps } from '../../router.js';
import { Card } from '../../ui/card.js';
import { FeedList } from '../../ui/feed/feed-list.js';
import type { FeedType } from '../../ui/feed/use-live-feed.js';
import { PageTitle } from '../../ui/page-title.js';
import { ProblemView, StaleNote } from '../../ui/problem-view.js';
import { EndlessFeed } from './endless-feed.js';
import { type Filter, Filters } from './filters.js';
import { feedPageTexts } from './texts.js';
import { useFeed } from './use-feed.js';
import './feed-page.css';

const FIRST_ROWS = 20;

/**
 * The page with all events, newest first, which can be filtered by type and by agent. The address of the page contains the
 * filter.
 */
export default function FeedPage(_: PageProps) {
  const { router } = useApp();
  const filter = filterOf(router.location.value.url.searchParams);
  const { first, agent, problem, reload, read } = useFeed(filter);
  const words = feedPageTexts;
  return (
    <div class="feed-page">
      <PageTitle heading={words.heading} lead={words.lead} />
      <Filters filter={filter} agent={agent} choose={(next) => router.open(addressOf(next))} />
      {first && <StaleNote problem={problem} />}
      <Card title={words.events}>
        {first ? (
          <EndlessFeed key={addressOf(filter)} {...{ first, agent, read, reload }} type={filter.type} />
        ) : problem ? (
          <ProblemView problem={problem} retry={reload} />
        ) : (
          <FeedList feed={{ events: [], waiting: [], show: () => {} }} isLoading rows={FIRST_ROWS} />
        )}
      </Card>
    </div>
  );
}

const TYPES: readonly FeedType[] = ['BOUGHT', 'SOLD', 'STATUS', 'REGISTERED'];

function filterOf(search: URLSearchParams): Filter {
  const type = TYPES.find((one) => one.toLowerCase() === search.get('type'));
  return { agentId: search.get('agent') || undefined, type };
}

/** The path of this page with a filter. */
function addressOf({ agentId, type }: Filter): string {
  const search = new URLSearchParams();
  if (type) search.set('type', type.toLowerCase());
  if (agentId) search.set('agent', agentId);
  return search.size === 0 ? '/feed' : `/feed?${search}`;
}
