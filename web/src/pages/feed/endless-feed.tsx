import { useEffect, useRef, useState } from 'preact/hooks';
import { useApp } from '../../app-context.js';
import { count } from '../../format/number.js';
import type { AgentName } from '../../ui/agent/agent-link.js';
import { More } from '../../ui/control/more.js';
import type { FeedEvent } from '../../ui/feed/event.js';
import { FeedList } from '../../ui/feed/feed-list.js';
import { type FeedType, useLiveFeed } from '../../ui/feed/use-live-feed.js';
import { useSettled } from '../../ui/page-head.js';
import { type Pages, usePages } from '../../ui/use-pages.js';
import type { EventPage } from './queries.js';
import { feedPageTexts } from './texts.js';

type Props = {
  readonly first: EventPage;
  /** The agent whose events the filter shows. undefined for all agents. */
  readonly agent: AgentName | undefined;
  readonly type: FeedType | undefined;
  /** Reads the page of events after a cursor. null stands for the first page. */
  readonly read: (after: string | null) => Promise<EventPage | undefined>;
  /** Reads the first page again. */
  readonly reload: () => void;
};

/** The events that match a filter. Older events are added while the reader scrolls, newer events wait above the list. */
export function EndlessFeed({ first, agent, type, read, reload }: Props) {
  const { announce } = useApp();
  // The first page that was shown when events were missed. After `reload` has read another first page, nothing is missed.
  const [missedOf, setMissedOf] = useState<EventPage | undefined>();
  const pages = usePages<FeedEvent>('feed', first, first, read);
  const feed = useLiveFeed(pages.rows, {
    ...(agent && { agent: agent.id }),
    ...(type && { type }),
    name: 'live',
    // Reading the list again would move the reader to its top, so the list is read again only on request.
    onGap: () => setMissedOf(first),
  });
  useSettled(true);
  const end = useEnd(pages);
  const total = pages.rows?.length ?? 0;
  const before = useRef(total);
  useEffect(() => {
    if (total > before.current) announce(feedPageTexts.loaded(count(total)));
    before.current = total;
  }, [total, announce]);
  return (
    <>
      <FeedList feed={feed} isLoading={false} rows={0} missed={missedOf === first ? reload : undefined} />
      <div ref={end} />
      <More pages={pages} text={feedPageTexts.older} />
      {!pages.hasMore && total > 0 && <p class="muted small last">{feedPageTexts.end}</p>}
    </>
  );
}

/** Distance below the window at which the next page is read. */
const AHEAD = '300px';

/**
 * Reads the next page when the returned element comes near the window. After a failed read it waits: `usePages` tries again by
 * itself, and the reader can press the button.
 */
function useEnd({ hasMore, isBusy, problem, more }: Pages<FeedEvent>) {
  const end = useRef<HTMLDivElement>(null);
  const latest = useRef(more);
  latest.current = more;
  const isReady = hasMore && !isBusy && problem === undefined;
  useEffect(() => {
    if (!isReady || end.current === null) return;
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (entry?.isIntersecting) latest.current();
      },
      { rootMargin: `0px 0px ${AHEAD}` },
    );
    observer.observe(end.current);
    return () => observer.disconnect();
  }, [isReady]);
  return end;
}
