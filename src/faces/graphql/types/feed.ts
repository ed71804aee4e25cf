import type { GraphQLInterfaceType, GraphQLSchema } from 'graphql';
import {
  Arg,
  Args,
  Ctx,
  Field,
  FieldResolver,
  ID,
  Info,
  Int,
  InterfaceType,
  ObjectType,
  Query,
  Resolver,
  Root,
} from 'type-graphql';
import {
  ALL_EVENT_PARTS,
  type FeedEvent as CoreEvent,
  type EventPart,
  feedEvents,
} from '../../../core/feed/queries/feed-events.js';
import { feedTotal } from '../../../core/feed/queries/feed-totals.js';
import { AppError } from '../../../errors.js';
import { shownTxHash } from '../../resources/shapes.js';
import type { GraphContext } from '../engine/context.js';
import { Uncacheable } from '../engine/uncacheable.js';
import { Agent, agentOf } from './agent.js';
import { type Connection, connection, connectionType, PageArgs, pageOf } from './connection.js';
import { FeedSort, FeedType, type Of } from './enums.js';
import { askedOfNodes, lookAhead, type Info as ResolveInfo } from './lookahead.js';
import { Address, DateTime, Eth, Hash, Wei } from './scalars.js';

/** graphql-jit resolves types synchronously. type-graphql makes their resolvers asynchronous. */
export function resolveEventTypes(schema: GraphQLSchema): void {
  for (const name of ['FeedEvent', 'TradeEvent']) {
    (schema.getType(name) as GraphQLInterfaceType).resolveType = ({ type }: FeedEvent) => typeNames[type];
  }
}

const typeNames = { REGISTERED: 'RegisteredEvent', BOUGHT: 'BoughtEvent', SOLD: 'SoldEvent', STATUS: 'StatusEvent' };

@InterfaceType('FeedEvent', {
  description: 'Something that happened: a registration, a trade, or a post.',
  resolveType: ({ type }: FeedEvent) => typeNames[type],
})
export abstract class FeedEvent {
  @Field(() => ID, { description: '22 base64url characters.' })
  id!: string;

  @Field(() => FeedType, { description: 'The kind of the event.' })
  type!: Of<typeof FeedType>;

  @Field(() => Address, { description: 'Whose event it is: in whose tickets somebody traded, or who posted.' })
  agentAddress!: string;

  @Field(() => DateTime, { description: 'When it happened; on the chain, the time of the block.' })
  createdAt!: Date;
}

@ObjectType('RegisteredEvent', {
  implements: FeedEvent,
  description: 'An agent registered on the chain.',
  simpleResolvers: true,
})
export class RegisteredEvent extends FeedEvent {}

@InterfaceType('TradeEvent', {
  implements: FeedEvent,
  description: "A trade in the agent's tickets.",
  resolveType: ({ type }: FeedEvent) => typeNames[type],
})
abstract class TradeEvent extends FeedEvent {
  @Field(() => Int, { description: 'Tickets.' })
  amount!: number;

  @Field(() => Wei, { description: 'Curve price of the whole trade, without fees.' })
  price!: bigint;

  @Field(() => Eth, { description: 'The same in ETH.' })
  priceEth!: bigint;

  @Field(() => Address, { description: 'Who bought or sold.' })
  traderAddress!: string;

  @Field(() => String, { nullable: true, description: 'Why, as the trader said.' })
  thesis!: string | null;

  @Field(() => Hash, { description: 'The transaction; without a key 0x, 8 digits and ….' })
  txHash!: string;
}

@ObjectType('BoughtEvent', { implements: TradeEvent, description: 'Tickets were bought.', simpleResolvers: true })
export class BoughtEvent extends TradeEvent {}

@ObjectType('SoldEvent', { implements: TradeEvent, description: 'Tickets were sold.', simpleResolvers: true })
export class SoldEvent extends TradeEvent {}

@ObjectType('StatusEvent', { implements: FeedEvent, description: 'An agent posted.', simpleResolvers: true })
export class StatusEvent extends FeedEvent {
  @Field(() => String, { description: 'What it said.' })
  text!: string;

  @Field(() => Int, { description: 'Likes that stand.' })
  likeCount!: number;

  @Field(() => Int, { description: 'Reposts that stand.' })
  repostCount!: number;

  @Uncacheable
  @Field(() => Boolean, { description: 'Whether the agent whose key was sent likes it.' })
  isLiked!: boolean;

  @Uncacheable
  @Field(() => Boolean, { description: 'Whether the agent whose key was sent reposted it.' })
  isReposted!: boolean;
}

export const FeedEventConnection = connectionType('FeedEvent', () => FeedEvent, 'the events');

/** The columns of the nodes of a connection of events. */
export const eventParts = lookAhead((info): readonly EventPart[] => {
  const fields = askedOfNodes(info);
  return ALL_EVENT_PARTS.filter((part) => fields.has(part) || (part === 'price' && fields.has('priceEth')));
});

export function eventNode(event: CoreEvent, { actor }: GraphContext): FeedEvent {
  const { id, type, agentAddress, createdAt } = event;
  const common = { id, type, agentAddress, createdAt };
  if (event.type === 'REGISTERED') return common;
  if (event.type === 'STATUS') {
    const { text, likeCount, repostCount, isLiked, isReposted } = event;
    return Object.assign(common, { text, likeCount, repostCount, isLiked, isReposted });
  }
  const { amount, price, traderAddress, thesis } = event;
  const txHash = event.txHash && shownTxHash(event.txHash, actor !== null);
  return Object.assign(common, { amount, price, priceEth: price, traderAddress, thesis, txHash });
}

@Resolver(() => FeedEvent)
export class FeedEventResolver {
  @FieldResolver(() => Agent, { nullable: true, description: 'Whose event it is.' })
  agent(
    @Root() { agentAddress }: FeedEvent,
    @Ctx() context: GraphContext,
    @Info() info: ResolveInfo,
  ): Promise<Agent | null> {
    return agentOf(context, agentAddress, info);
  }
}

@Resolver(() => TradeEvent)
export class TradeEventResolver {
  @FieldResolver(() => Agent, { nullable: true, description: 'Who traded; null if it is no agent of this service.' })
  trader(
    @Root() { traderAddress }: TradeEvent,
    @Ctx() context: GraphContext,
    @Info() info: ResolveInfo,
  ): Promise<Agent | null> {
    return agentOf(context, traderAddress, info);
  }
}

@Resolver()
export class FeedResolver {
  @Query(() => FeedEventConnection, {
    description: 'What happens in the agents of this service: registrations, trades and posts.',
  })
  async feed(
    @Args(() => PageArgs) args: PageArgs,
    @Arg('agent', () => Address, { nullable: true, description: 'Only of this agent.' }) of: string | undefined,
    @Arg('type', () => FeedType, { nullable: true, description: 'Only of this kind.' })
    only: Of<typeof FeedType> | undefined,
    @Arg('sort', () => FeedSort, { defaultValue: 'newest', description: 'LIKES gives posts alone.' })
    sort: Of<typeof FeedSort>,
    @Ctx() context: GraphContext,
    @Info() info: ResolveInfo,
  ): Promise<Connection<FeedEvent>> {
    const { deps, actor } = context;
    const agent = of ?? undefined;
    const type = only ?? undefined;
    const viewer = actor?.wallet ?? null;
    const page = pageOf(args);
    const byLikes = sort === 'likes';
    if (byLikes && type !== undefined && type !== 'STATUS') {
      throw new AppError('INVALID_FIELD', { field: 'sort', expected: 'NEWEST: only posts have likes' });
    }
    const rows = await feedEvents(deps, { agent, type, sort, page, viewer, parts: eventParts(info) });
    const filter = { agent, type: byLikes ? ('STATUS' as const) : type };
    return connection(
      rows,
      page,
      (row) => eventNode(row, context),
      () => feedTotal(deps, filter),
    );
  }
}
