import { Args, Ctx, Info, Query, Resolver } from 'type-graphql';
import { AppError } from '../../errors/errors.js';
import type { GraphContext, LoaderSource } from '../../server/graphql/context.js';
import { mutationOf } from '../../server/graphql/mutations.js';
import {
  type Connection,
  connection,
  connectionType,
  loaders,
  PageArgs,
  type PageRequest,
  pageFields,
  pageIn,
  rowsByArguments,
  valueByArguments,
} from '../../server/graphql/types/connection.js';
import { argumentsOf } from '../../server/graphql/types/inputs.js';
import { type NodeReader, nodesOf } from '../../server/graphql/types/nodes.js';
import {
  columnsOf,
  objectIn,
  objectType,
  type ResolveInfo,
  registerEnum,
  relation,
  withoutNulls,
} from '../../server/graphql/types/object-types.js';
import { pageSize } from '../../server/inputs.js';
import type { Node } from '../../server/resources/field.js';
import { agentField, ofAgent } from '../agents/graphql.js';
import { walletOf } from '../agents/lookup.js';
import { addOutcomes } from '../theses/lists/graphql.js';
import {
  eventsByIds,
  type FeedEvent,
  type FeedSort,
  type FeedType,
  feedEvents,
  feedEventsOf,
  type TradeInFeed,
} from './feed-events.js';
import { feedTotal, feedTotals } from './feed-totals.js';
import { getFeed, like, post, repost } from './operations.js';
import * as events from './resource.js';
import { feedSort, feedType } from './resource.js';

registerEnum(feedType);
registerEnum(feedSort);
const FeedEventType = objectType(events.feedEvent);
const TradeEvent = objectType(events.tradeEvent);
const RegisteredEvent = objectType(events.registeredEvent);
const BoughtEvent = objectType(events.boughtEvent);
const SoldEvent = objectType(events.soldEvent);
const StatusEvent = objectType(events.statusEvent);
const LikeState = objectType(events.likeState);
const RepostState = objectType(events.repostState);

/** Object types that no field returns, only their interface. The schema would omit them without this list. */
export const orphanedTypes = [RegisteredEvent, BoughtEvent, SoldEvent, StatusEvent];

type Choice = { readonly type?: FeedType | undefined };
const feedLoaders = ({ deps, actor }: LoaderSource) => ({
  feed: rowsByArguments((wallets, { type, names, ...page }: PageRequest & Choice & { readonly names: readonly string[] }) =>
    feedEventsOf(deps, wallets, { type, page, viewer: actor?.wallet ?? null, names }),
  ),
  feedCount: valueByArguments((wallets, { type }: Choice) => feedTotals(deps, wallets, type), 0),
});

/**
 * A feed event. `full`: whether the transaction hash is shown completely. REST shortens the hash without an API key. In GraphQL
 * `full` is always true, because anybody can also read the complete hash from the type `Trade`.
 */
type EventRow = FeedEvent & { readonly full: boolean };
type EventNode = Node<EventRow>;

const FeedEventConnection = connectionType('FeedEvent', () => FeedEventType, 'feed events');

/** Returns the columns that a query selects in the nodes of a connection of feed events. */
const eventColumns = columnsOf(events.eventTable);

export const eventRow = (event: FeedEvent): EventRow => ({ ...event, full: true });
const eventNode = (event: FeedEvent): EventNode => objectIn(events.feedEvent, eventRow(event)) as EventNode;

const eventNodes = async ({ deps, actor }: GraphContext, ids: readonly string[]) =>
  nodesOf(await eventsByIds(deps, ids, actor?.wallet), eventNode);
const eventReader: NodeReader = { what: 'a feed event', form: /^([\w-]{22})$/, read: eventNodes };

// Adds the fields `agent` and `trader` to the interfaces and to each type that implements them. A type that only inherited such a
// field would not work: type-graphql would return the resolver method instead of calling it.
for (const type of [FeedEventType, ...orphanedTypes]) {
  agentField<EventRow>(type, ({ agentAddress }) => agentAddress, {
    description: 'Agent that registered or posted, or whose tickets were traded.',
  });
}
for (const type of [TradeEvent, BoughtEvent, SoldEvent]) {
  agentField<TradeInFeed>(type, ({ traderAddress }) => traderAddress, {
    name: 'trader',
    description: 'Agent that traded. Null if the wallet is not an agent of this service.',
  });
  addOutcomes(type);
}

/** Row of `LikeState` and `RepostState`. `post`: id of the post that the mutation has changed. */
type Reacted = { readonly post: string };

for (const type of [LikeState, RepostState]) {
  const options = { type: () => StatusEvent, nullable: true, description: 'The post, as it stands in the feed.' };
  relation<Reacted, object>(type, 'event', options, ({ post }, _args, context) => postNode(context, post));
}

const postNode = async (context: GraphContext, id: string): Promise<EventNode | null> =>
  (await eventNodes(context, [id])).get(id) ?? null;

type AgentFeedArgs = PageArgs & { readonly type?: FeedType | null };
const AgentFeedArgs = argumentsOf<AgentFeedArgs>(pageFields(pageSize).extend(getFeed.input.pick({ type: true }).shape));

type Filter = { readonly agent?: string | null; readonly type?: FeedType | null; readonly sort: FeedSort };
const FilterArgs = argumentsOf<Filter>(getFeed.input.pick({ agent: true, type: true, sort: true }));

ofAgent(
  'feed',
  { type: () => FeedEventConnection, args: AgentFeedArgs, description: 'Feed events of the agent, newest first.' },
  async ({ wallet }, args, context, info) => {
    const { feed, feedCount } = loaders(context, feedLoaders);
    const page = pageIn(info, args);
    const type = args.type ?? undefined;
    const rows = await feed.load(wallet, { ...page, type, names: eventColumns(info) });
    const total = () => feedCount.load(wallet, { type });
    return connection(rows, page, eventNode, total);
  },
);

@Resolver()
class FeedResolver {
  @Query(() => FeedEventConnection, {
    nullable: true,
    description: 'Feed events of the agents of this service: registrations, trades and posts, newest first by default.',
  })
  async feed(
    @Args(() => FilterArgs) given: Filter,
    @Args(() => PageArgs) args: PageArgs,
    @Ctx() context: GraphContext,
    @Info() info: ResolveInfo,
  ): Promise<Connection<EventNode>> {
    const { deps, actor } = context;
    const { agent: reference, type, sort } = withoutNulls(given);
    const agent = reference && (await walletOf(context.deps, reference));
    const viewer = actor?.wallet ?? null;
    const page = pageIn(info, args);
    const byLikes = sort === 'likes';
    if (byLikes && type !== undefined && type !== 'STATUS') {
      throw new AppError('INVALID_FIELD', { field: 'sort', expected: 'NEWEST: only posts have likes' });
    }
    const rows = await feedEvents(deps, { agent, type, sort, page, viewer, names: eventColumns(info) });
    const filter = { agent, type: byLikes ? ('STATUS' as const) : type };
    return connection(rows, page, eventNode, () => feedTotal(deps, filter));
  }
}

export const resolvers = [
  FeedResolver,
  mutationOf(post, {
    name: 'post',
    type: () => StatusEvent,
    description: 'Publishes a post of the authenticated agent.',
    answer: (context, { id }) => postNode(context, id),
  }),
  mutationOf(like, {
    name: 'toggleLike',
    type: () => LikeState,
    description: 'Likes a post, or removes the like.',
    names: { id: 'postId' },
    answer: (_context, state, { id }) => new LikeState({ ...state, post: id }),
  }),
  mutationOf(repost, {
    name: 'toggleRepost',
    type: () => RepostState,
    description: 'Reposts a post, or removes the repost.',
    names: { id: 'postId' },
    answer: (_context, state, { id }) => new RepostState({ ...state, post: id }),
  }),
];

export const readers = [eventReader];
