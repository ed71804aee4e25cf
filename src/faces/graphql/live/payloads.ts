import type { Deps } from '../../../deps.js';
import { eventsByIds, type FeedEvent, reactionsOf } from '../../../features/feed/feed-events.js';
import { type Notification, notificationsByIds } from '../../../features/notices/queries.js';
import { type TradeRow, tradesByIds } from '../../../features/trading/trades.js';
import type { LiveEvent } from '../../../live/log.js';
import type { GraphContext } from '../engine/context.js';
import { eventRow } from '../types/feed.js';
import type { Node } from '../types/generate.js';
import { types } from '../types/objects.js';
import type { Watch } from './watch.js';

/** Contents of live events, read once for all subscribers. `reactions`: likes and reposts of the viewers. */
export type Contents = {
  readonly events: ReadonlyMap<string, FeedEvent>;
  readonly trades: ReadonlyMap<string, TradeRow>;
  readonly notifications: ReadonlyMap<string, Notification>;
  readonly reactions: ReadonlySet<string>;
};

export type Wanted = { readonly watch: Watch; readonly viewer: string | null; readonly events: readonly LiveEvent[] };

/** Reads the contents of events. The number of statements does not depend on the number of subscribers. */
export async function readContents(deps: Deps, wanted: readonly Wanted[]): Promise<Contents> {
  const idsFor = (field: Watch['field']): string[] => {
    const added = wanted.flatMap(({ watch, events }) =>
      watch.field === field ? events.flatMap(({ removed, subject }) => (removed || !subject ? [] : [subject])) : [],
    );
    return [...new Set(added)];
  };
  const read = async <K, V>(ids: K[], load: (ids: K[]) => Promise<Map<string, V>>) =>
    ids.length === 0 ? new Map<string, V>() : load(ids);
  const [events, trades, notifications] = await Promise.all([
    read(idsFor('feedEvent'), (ids) => eventsByIds(deps, ids)),
    read(idsFor('trade'), (ids) => tradesByIds(deps, ids)),
    read(idsFor('notification'), (ids) => notificationsByIds(deps, ids)),
  ]);
  const posts = [...events.values()].flatMap(({ type, id }) => (type === 'STATUS' ? [id] : []));
  const viewers = [...new Set(wanted.flatMap(({ viewer }) => viewer ?? []))];
  const noReactions = posts.length === 0 || viewers.length === 0;
  const reactions = noReactions ? new Set<string>() : await reactionsOf(deps, posts, viewers);
  return { events, trades, notifications, reactions };
}

/** The payload of an event for a subscriber. null if the content no longer exists; a later event reports its removal. */
export function payloadOf(
  { field }: Watch,
  { sequence: number, removed, subject, agent, supply }: LiveEvent,
  { events, trades, notifications, reactions }: Contents,
  context: GraphContext,
): Node | null {
  const sequence = String(number);
  if (field === 'price') return new types.PriceChange({ sequence, agent, supply: supply ?? 0 });
  const id = subject ?? '';
  const change = { sequence, kind: removed ? ('REMOVED' as const) : ('ADDED' as const), subject: id };
  if (field === 'feedEvent') {
    const event = events.get(id);
    if (removed) return new types.FeedEventChange({ ...change, event: null });
    if (event === undefined) return null;
    return new types.FeedEventChange({ ...change, event: eventRow(withReactions(event, context, reactions)) });
  }
  if (field === 'trade') {
    const trade = trades.get(id);
    if (removed) return new types.TradeChange({ ...change, trade: null });
    return trade ? new types.TradeChange({ ...change, trade }) : null;
  }
  const notification = notifications.get(id);
  if (removed) return new types.NotificationChange({ ...change, notification: null });
  return notification?.recipient === agent ? new types.NotificationChange({ ...change, notification }) : null;
}

function withReactions(event: FeedEvent, { actor }: GraphContext, reactions: ReadonlySet<string>): FeedEvent {
  if (event.type !== 'STATUS' || actor === null) return event;
  const [isLiked, isReposted] = ['like', 'repost'].map((kind) => reactions.has(`${kind} ${event.id} ${actor.wallet}`));
  return { ...event, isLiked: isLiked === true, isReposted: isReposted === true };
}
