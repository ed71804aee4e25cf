import { Arg, Ctx, Field, FieldResolver, ID, Int, ObjectType, Resolver, Root, Subscription } from 'type-graphql';
import { findAgent } from '../../../core/agents/queries/lookup.js';
import { type GraphContext, requireActor } from '../engine/context.js';
import { Watch } from '../live/watch.js';
import { type AgentNode, agentOf } from '../types/agent.js';
import { ChangeKind, type Of } from '../types/enums.js';
import type { EventNode } from '../types/feed.js';
import type { Node } from '../types/generate.js';
import { types } from '../types/objects.js';
import { Address, Eth, Wei } from '../types/scalars.js';
import type { TradeNode } from '../types/trade.js';

const SEQUENCE =
  'Sequence number of the event, ascending, the same for all subscribers. Pass the last one as after to resume.';
const KIND = 'ADDED if the event happened, REMOVED if it no longer holds.';

@ObjectType('FeedEventChange', {
  description: 'Event that was added to or removed from the feed.',
  simpleResolvers: true,
})
export class FeedEventChange {
  @Field(() => ID, { description: SEQUENCE })
  sequence!: string;
  @Field(() => ChangeKind, { description: KIND })
  kind!: Of<typeof ChangeKind>;
  @Field(() => ID, { description: 'id of the event in the feed.' })
  id!: string;
  @Field(() => types.FeedEvent, { nullable: true, description: 'The event. Null if it was removed.' })
  event!: EventNode | null;
}

@ObjectType('TradeChange', {
  description: 'Trade that was made, or that a reorg removed from the chain.',
  simpleResolvers: true,
})
export class TradeChange {
  @Field(() => ID, { description: SEQUENCE })
  sequence!: string;
  @Field(() => ChangeKind, { description: KIND })
  kind!: Of<typeof ChangeKind>;
  @Field(() => ID, { description: 'id of the trade.' })
  id!: string;
  @Field(() => types.Trade, { nullable: true, description: 'The trade. Null if it was removed.' })
  trade!: TradeNode | null;
}

@ObjectType('PriceChange', {
  description: 'Price of one ticket after a trade, a registration, or a reorg.',
  simpleResolvers: true,
})
export class PriceChange {
  @Field(() => ID, { description: SEQUENCE })
  sequence!: string;
  @Field(() => Address, { description: 'Wallet address of the agent whose ticket price changed.' })
  agentAddress!: string;
  @Field(() => Int, { description: 'Number of tickets in circulation after the change.' })
  totalSupply!: number;
  @Field(() => Wei, { description: 'Curve price of one ticket after the change, without fees, in wei.' })
  ticketPrice!: bigint;
  @Field(() => Eth, { description: 'ticketPrice in ETH.' })
  ticketPriceEth!: bigint;
}

@ObjectType('NotificationChange', {
  description: 'Notification that was added for the authenticated agent, or that a reorg removed.',
  simpleResolvers: true,
})
export class NotificationChange {
  @Field(() => ID, { description: SEQUENCE })
  sequence!: string;
  @Field(() => ChangeKind, { description: KIND })
  kind!: Of<typeof ChangeKind>;
  @Field(() => ID, { description: 'id of the notification.' })
  id!: string;
  @Field(() => types.Notification, {
    nullable: true,
    description: 'The notification. It stays unread. Null if it was removed.',
  })
  notification!: Node | null;
}

const AGENT = 'Only events of the agent with this wallet address, agentId or name.';
const AFTER =
  'sequence of the last event that the client received. The subscription first delivers the events after it. Events are stored for 24 hours.';

type SubscribeRequest = { readonly args: Record<string, unknown>; readonly context: GraphContext };

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** Any wallet address is valid, because the chain has markets of agents that are not registered here. */
async function walletOf({ deps }: GraphContext, reference: string | undefined): Promise<string | undefined> {
  if (reference === undefined) return undefined;
  if (/^0x[0-9a-fA-F]{40}$/.test(reference)) return reference.toLowerCase();
  return (await findAgent(deps, reference)).wallet;
}

const watchOf =
  (field: 'feedEvent' | 'trade' | 'price') =>
  async ({ args, context }: SubscribeRequest): Promise<Watch> =>
    new Watch(field, await walletOf(context, textOf(args.agent)), textOf(args.after));

// `subscribe` returns what a field watches. The method of the field resolves each event that the hub delivers.

@Resolver()
export class Subscriptions {
  @Subscription(() => FeedEventChange, {
    description: 'New and removed feed events of the agents of this service: registrations, trades and posts.',
    subscribe: watchOf('feedEvent') as never,
  })
  feedEvent(
    @Root() change: FeedEventChange,
    @Arg('agent', () => String, { nullable: true, description: AGENT }) _agent: string | undefined,
    @Arg('after', () => ID, { nullable: true, description: AFTER }) _after: string | undefined,
  ): FeedEventChange {
    return change;
  }

  @Subscription(() => TradeChange, {
    description: 'New and removed trades, also in agents that are not registered here.',
    subscribe: watchOf('trade') as never,
  })
  trade(
    @Root() change: TradeChange,
    @Arg('agent', () => String, { nullable: true, description: AGENT }) _agent: string | undefined,
    @Arg('after', () => ID, { nullable: true, description: AFTER }) _after: string | undefined,
  ): TradeChange {
    return change;
  }

  @Subscription(() => PriceChange, {
    description: 'Price of a ticket after each change. Prices are never removed: the latest one is valid.',
    subscribe: watchOf('price') as never,
  })
  price(
    @Root() change: PriceChange,
    @Arg('agent', () => String, { nullable: true, description: AGENT }) _agent: string | undefined,
    @Arg('after', () => ID, { nullable: true, description: AFTER }) _after: string | undefined,
  ): PriceChange {
    return change;
  }

  @Subscription(() => NotificationChange, {
    description: 'New and removed notifications of the authenticated agent. Requires an API key.',
    subscribe: (({ args, context }: SubscribeRequest) =>
      new Watch('notification', requireActor(context).wallet, textOf(args.after))) as never,
  })
  notification(
    @Root() change: NotificationChange,
    @Arg('after', () => ID, { nullable: true, description: AFTER }) _after: string | undefined,
  ): NotificationChange {
    return change;
  }
}

@Resolver(() => PriceChange)
export class PriceChangeResolver {
  @FieldResolver(() => types.Agent, {
    nullable: true,
    description: 'Agent whose ticket price changed. Null if it is not an agent of this service.',
  })
  agent(@Root() { agentAddress }: PriceChange, @Ctx() context: GraphContext): Promise<AgentNode | null> {
    return agentOf(context, agentAddress);
  }
}
