import { Args, ArgsType, Ctx, Field, ID, Query, Resolver, Root, Subscription } from 'type-graphql';
import type { Deps } from '../../deps.js';
import { type LiveEvent, settledSequence } from '../../live/log.js';
import { type GraphContext, requireActor } from '../../server/graphql/context.js';
import { nullableField, objectType, registerEnum } from '../../server/graphql/types/object-types.js';
import { AgentRef } from '../../server/graphql/types/scalars.js';
import { type LiveField, type ReadPayloads, type WantedEvents, Watch } from '../../server/live/watch.js';
import { fieldsOf, graphqlObject, idOf, type Node, type ResourceRow, resource } from '../../server/resources/field.js';
import { address, enumeration, eth, id, int, nullable, oneOf, wei } from '../../server/resources/types.js';
import { agentField } from '../agents/graphql.js';
import { walletOf } from '../agents/lookup.js';
import { priceOf } from '../agents/resource.js';
import { eventsByIds, type FeedEvent, reactionsOf } from '../feed/feed-events.js';
import { eventRow } from '../feed/graphql.js';
import { feedEvent } from '../feed/resource.js';
import { type NotificationRow, notificationsByIds } from '../notices/notifications.js';
import { notification } from '../notices/resource.js';
import { trade } from '../trading/resource.js';
import { type TradeRow, tradesByIds } from '../trading/trades.js';
import { unlessRereading } from './rereading.js';

export const changeKind = enumeration('ChangeKind', 'Whether a live event adds or removes something.', {
  ADDED: ['ADDED', 'The event happened.'],
  REMOVED: ['REMOVED', 'The event no longer holds, because of a reorg, or because an agent was deleted or a post hidden.'],
});

registerEnum(changeKind);

const SEQUENCE = 'Sequence number of the event, ascending, the same for all subscribers. Pass the last one as after to resume.';

const changes = fieldsOf<{
  readonly sequence: string;
  readonly kind: 'ADDED' | 'REMOVED';
  readonly subject: string;
  readonly event: ResourceRow<typeof feedEvent.fields> | null;
  readonly trade: ResourceRow<typeof trade.fields> | null;
  readonly notification: ResourceRow<typeof notification.fields> | null;
}>();
const common = {
  sequence: changes.column('sequence', id, SEQUENCE),
  kind: changes.column('kind', oneOf(changeKind), 'ADDED if the event happened, REMOVED if it no longer holds.'),
};

export const feedEventChange = resource('FeedEventChange', 'Event that was added to or removed from the feed.', {
  ...common,
  id: changes.globalId('FeedEventChange', 'sequence'),
  eventId: changes.column('subject', id, 'id of the event.'),
  event: changes.column('event', nullable(graphqlObject(feedEvent)), 'The event. Null if it was removed.'),
});

export const tradeChange = resource(
  'TradeChange',
  'Trade that was made, whose reason was recorded or judged, or that a reorg removed from the chain.',
  {
    ...common,
    id: changes.globalId('TradeChange', 'sequence'),
    tradeId: changes.computed(['subject'], id, 'id of the trade.', ({ subject }) => idOf('Trade', [subject])),
    trade: changes.column('trade', nullable(graphqlObject(trade)), 'The trade. Null if it was removed.'),
  },
);

export const notificationChange = resource(
  'NotificationChange',
  'Notification that was added for the authenticated agent, or that a reorg removed.',
  {
    ...common,
    id: changes.globalId('NotificationChange', 'sequence'),
    notificationId: changes.computed(['subject'], id, 'id of the notification.', ({ subject }) => idOf('Notification', [subject])),
    notification: changes.column(
      'notification',
      nullable(graphqlObject(notification)),
      'The notification. It stays unread. Null if it was removed.',
    ),
  },
);

const prices = fieldsOf<{ readonly sequence: string; readonly agent: string; readonly supply: number }>();

export const priceChangeEvent = resource('PriceChange', 'Price of one ticket after a trade, a registration, or a reorg.', {
  id: prices.globalId('PriceChange', 'sequence'),
  sequence: prices.column('sequence', id, SEQUENCE),
  agentAddress: prices.column('agent', address, 'Wallet address of the agent whose ticket price changed.'),
  totalSupply: prices.column('supply', int, 'Number of tickets in circulation after the change.'),
  ticketPrice: prices.computed(['supply'], wei, 'Curve price of one ticket after the change, without fees, in wei.', priceOf),
  ticketPriceEth: prices.computed(['supply'], eth, 'ticketPrice in ETH.', priceOf),
});

const FeedEventChange = objectType(feedEventChange);
const TradeChange = objectType(tradeChange);
const NotificationChange = objectType(notificationChange);
const PriceChange = objectType(priceChangeEvent);

const AGENT = 'Only events of this agent.';
const AFTER =
  'sequence of the last event that the client received. The subscription first delivers the events after it. Events are stored for 24 hours.';

@ArgsType()
class AfterArgs {
  @Field(() => ID, nullableField(AFTER))
  after?: string | null;
}

@ArgsType()
class WatchArgs extends AfterArgs {
  @Field(() => AgentRef, nullableField(AGENT))
  agent?: string | null;
}

agentField<{ readonly agent: string }>(PriceChange, ({ agent }) => agent, {
  description: 'Agent whose ticket price changed. Null if it is not an agent of this service.',
});

/** The fields of the GraphQL type Subscription, each with the topics of the live events that it delivers. */
export const liveFields = {
  feedEvent: { name: 'feedEvent', topics: ['registration', 'trade', 'post', 'feed'] },
  trade: { name: 'trade', topics: ['trade'] },
  thesis: { name: 'thesis', topics: ['thesis'] },
  outcome: { name: 'outcome', topics: ['outcome'] },
  price: {
    name: 'price',
    topics: ['registration', 'trade', 'price'],
    // A removed trade brings no price: the reorg that removed it announces the price that then holds as an event of topic `price`.
    delivers: ({ supply, removed }: LiveEvent) => supply !== null && !removed,
  },
  notification: { name: 'notification', topics: ['notification'] },
} as const satisfies Readonly<Record<string, LiveField>>;

/** The fields whose events show a trade. */
const tradeFields: readonly LiveField[] = [liveFields.trade, liveFields.thesis, liveFields.outcome];

type SubscribeRequest = { readonly args: Record<string, unknown>; readonly context: GraphContext };

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

const watchOf =
  (field: LiveField) =>
  async ({ args, context }: SubscribeRequest): Promise<Watch> => {
    const reference = textOf(args.agent);
    return new Watch(field, reference && (await walletOf(context.deps, reference)), textOf(args.after));
  };

// `subscribe` returns the `Watch` of a field, which says what the client waits for. The method of the field resolves each event
// that the hub delivers.

@Resolver()
class Subscriptions {
  @Query(() => ID, {
    nullable: true,
    description:
      'Position of the live events 20 seconds ago. Read it before your lists, and pass it as the argument `after` of a subscription: ' +
      'it delivers every event that the lists do not show. A cache must not keep the position, because it belongs to these lists.',
  })
  async liveSequence(@Ctx() { deps }: GraphContext): Promise<string> {
    return String(await settledSequence(deps));
  }

  @Subscription(() => FeedEventChange, {
    description: 'New and removed feed events of the agents of this service: registrations, trades and posts.',
    subscribe: watchOf(liveFields.feedEvent),
  })
  feedEvent(@Root() change: Node, @Args(() => WatchArgs) _args: WatchArgs): Node {
    return change;
  }

  @Subscription(() => TradeChange, {
    description: 'New and removed trades, also in agents that are not registered here.',
    subscribe: watchOf(liveFields.trade),
  })
  trade(@Root() change: Node, @Args(() => WatchArgs) _args: WatchArgs): Node {
    return change;
  }

  @Subscription(() => TradeChange, {
    description:
      'Trades whose trader has given a reason, as soon as both are known. REMOVED if a reorg removed the trade. A reason that ' +
      'the operator hides later causes no event.',
    subscribe: watchOf(liveFields.thesis),
  })
  thesis(@Root() change: Node, @Args(() => WatchArgs) _args: WatchArgs): Node {
    return change;
  }

  @Subscription(() => TradeChange, {
    description:
      'Trades whose thesis was judged, once for each horizon, with their outcomes. `agent` is the author. After a reorg, a call may be ' +
      'judged again. REMOVED if a reorg removed the trade.',
    subscribe: watchOf(liveFields.outcome),
  })
  outcome(@Root() change: Node, @Args(() => WatchArgs) _args: WatchArgs): Node {
    return change;
  }

  @Subscription(() => PriceChange, {
    description: 'Price of a ticket after each change. Prices are never removed: the latest one is valid.',
    subscribe: watchOf(liveFields.price),
  })
  price(@Root() change: Node, @Args(() => WatchArgs) _args: WatchArgs): Node {
    return change;
  }

  @Subscription(() => NotificationChange, {
    description: 'New and removed notifications of the authenticated agent. Requires an API key.',
    subscribe: ({ args, context }: SubscribeRequest) =>
      new Watch(liveFields.notification, requireActor(context).wallet, textOf(args.after)),
  })
  notification(@Root() change: Node, @Args(() => AfterArgs) _args: AfterArgs): Node {
    return change;
  }
}

/** The objects that live events show, by the id in the event's `subject`. */
type Contents = {
  readonly events: ReadonlyMap<string, FeedEvent>;
  readonly trades: ReadonlyMap<string, TradeRow>;
  readonly notifications: ReadonlyMap<string, NotificationRow>;
  /** The subscribers' likes and reposts of the posts in `events`, in the form that `reactionsOf` returns. */
  readonly reactions: ReadonlySet<string>;
};

/** Reads the contents of live events. All subscribers share this read. */
async function readContents(deps: Deps, wanted: readonly WantedEvents[]): Promise<Contents> {
  const idsFor = (field: LiveField): string[] => {
    const added = wanted.flatMap(({ watch, events }) =>
      watch.field === field ? events.flatMap(({ removed, subject }) => (removed || !subject ? [] : [subject])) : [],
    );
    return [...new Set(added)];
  };
  const read = async <K, V>(ids: K[], load: (ids: K[]) => Promise<Map<string, V>>) =>
    ids.length === 0 ? new Map<string, V>() : load(ids);
  const [events, trades, notifications] = await Promise.all([
    read(idsFor(liveFields.feedEvent), (ids) => eventsByIds(deps, ids)),
    read(tradeFields.flatMap(idsFor), (ids) => tradesByIds(deps, ids)),
    read(idsFor(liveFields.notification), (ids) => notificationsByIds(deps, ids)),
  ]);
  const posts = [...events.values()].flatMap(({ type, id }) => (type === 'STATUS' ? [id] : []));
  const viewers = [...new Set(wanted.flatMap(({ viewer }) => viewer ?? []))];
  const noReactions = posts.length === 0 || viewers.length === 0;
  const reactions = noReactions ? new Set<string>() : await reactionsOf(deps, posts, viewers);
  return { events, trades, notifications, reactions };
}

/** Reads the contents of events once for all subscribers. The returned function makes the payload of one event from them. */
export const readPayloads: ReadPayloads = async (deps, wanted) => {
  const read = () => readContents(deps, wanted);
  const contents = await unlessRereading(deps, read, (found) => lacksFacts(wanted, found));
  return (watch, event, context) => payloadOf(watch, event, contents, context);
};

/** Whether the contents lack a trade or registration that an event refers to. Posts do not count: the index does not read them. */
const lacksFacts = (wanted: readonly WantedEvents[], { events: feed, trades }: Contents): boolean =>
  wanted.some(({ watch: { field }, events }) =>
    events.some(({ topic, subject, removed }) => {
      if (removed || subject === null || topic === 'post') return false;
      if (field === liveFields.feedEvent) return !feed.has(subject);
      return tradeFields.includes(field) && !trades.has(subject);
    }),
  );

/** The payload of an event for one subscriber. null if its object is gone: the subscriber then gets nothing for this event. */
function payloadOf(
  { field }: Watch,
  { sequence: number, removed, subject, agent, supply }: LiveEvent,
  { events, trades, notifications, reactions }: Contents,
  context: GraphContext,
): Node | null {
  const sequence = String(number);
  // Below, null stands for the object of a removal, which is delivered; undefined means that the object is gone.
  if (field === liveFields.price) return new PriceChange({ sequence, agent, supply: supply ?? 0 });
  const id = subject ?? '';
  const change = { sequence, kind: removed ? ('REMOVED' as const) : ('ADDED' as const), subject: id };
  if (field === liveFields.feedEvent) {
    const event = removed ? null : events.get(id);
    if (event === undefined) return null;
    return new FeedEventChange({ ...change, event: event && eventRow(withReactions(event, context, reactions)) });
  }
  if (tradeFields.includes(field)) {
    const trade = removed ? null : trades.get(id);
    if (trade === undefined || (field === liveFields.thesis && trade?.thesis === null)) return null;
    return new TradeChange({ ...change, trade });
  }
  const notification = notifications.get(id);
  if (removed) return new NotificationChange({ ...change, notification: null });
  return notification?.recipient === agent ? new NotificationChange({ ...change, notification }) : null;
}

function withReactions(event: FeedEvent, { actor }: GraphContext, reactions: ReadonlySet<string>): FeedEvent {
  if (event.type !== 'STATUS' || actor === null) return event;
  const [isLiked, isReposted] = ['like', 'repost'].map((kind) => reactions.has(`${kind} ${event.id} ${actor.wallet}`));
  return { ...event, isLiked: isLiked === true, isReposted: isReposted === true };
}

export const resolvers = [Subscriptions];
