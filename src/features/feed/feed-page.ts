import type { Deps } from '../../deps.js';
import { AppError } from '../../errors.js';
import { type FeedEvent, type FeedSort, feedEvents, keyOfEvent } from './feed-events.js';
import { type FeedFilter, feedTotal } from './feed-totals.js';

type FeedPageRequest = FeedFilter & {
  readonly sort: FeedSort;
  readonly limit: number;
  /** Id of the last event of the previous page. */
  readonly before?: string | undefined;
  /** Wallet of the caller, for its likes and reposts. Null without an API key. */
  readonly viewer: string | null;
};

/** `full`: whether the caller sees complete transaction hashes. */
type ShownEvent = FeedEvent & { readonly full: boolean };

/** A page of the feed, and the number of events on all pages. Sorted by likes, the feed contains only posts. */
export async function feedPage(
  deps: Deps,
  { agent, type, sort, limit, before, viewer }: FeedPageRequest,
): Promise<{ readonly feed: readonly ShownEvent[]; readonly total: number }> {
  const byLikes = sort === 'likes';
  if (byLikes && type !== undefined && type !== 'STATUS') {
    throw new AppError('INVALID_QUERY', { field: 'sort', expected: 'newest: only posts have likes' });
  }
  const after = before === undefined ? null : await keyOfEvent(deps, before, sort);
  if (before !== undefined && after === null) {
    throw new AppError('INVALID_QUERY', { field: 'before', expected: 'the id of an event' });
  }
  const [events, total] = await Promise.all([
    feedEvents(deps, { agent, type, sort, page: { first: limit, after }, viewer }),
    feedTotal(deps, { agent, type: byLikes ? 'STATUS' : type }),
  ]);
  return { feed: events.map((event) => ({ ...event, full: viewer !== null })), total };
}
