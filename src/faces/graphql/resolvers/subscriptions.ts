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

const SEQUENCE = 'Ascending, the same for all subscribers: pass the last one as after to go on from there.';
const KIND = 'Whether it happened, or is no longer so.';

@ObjectType('FeedEventChange', { description: 'Something new in the feed, or no longer in it.', simpleResolvers: true })
export class FeedEventChange {
  @Field(() => ID, { description: SEQUENCE })
  sequence!: string;
  @Field(() => ChangeKind, { description: KIND })
  kind!: Of<typeof ChangeKind>;
  @Field(() => ID, { description: 'The id of the event, as in the feed.' })
  id!: string;
  @Field(() => types.FeedEvent, { nullable: true, description: 'The event; null if it was removed.' })
  event!: EventNode | null;
}

@ObjectType('TradeChange', {
  description: 'A trade that was made, or that the chain has no more.',
  simpleResolvers: true,
})
export class TradeChange {
  @Field(() => ID, { description: SEQUENCE })
  sequence!: string;
  @Field(() => ChangeKind, { description: KIND })
  kind!: Of<typeof ChangeKind>;
  @Field(() => ID, { description: 'The id of the trade.' })
  id!: string;
  @Field(() => types.Trade, { nullable: true, description: 'The trade; null if it was removed.' })
  trade!: TradeNode | null;
}

@ObjectType('PriceChange', {
  description: 'The price of a ticket after a trade, a registration, or a reorganisation of the chain.',
  simpleResolvers: true,
})
export class PriceChange {
  @Field(() => ID, { description: SEQUENCE })
  sequence!: string;
  @Field(() => Address, { description: 'In whose tickets.' })
  agentAddress!: string;
  @Field(() => Int, { description: 'Tickets in circulation from now on.' })
  totalSupply!: number;
  @Field(() => Wei, { description: 'Curve price of one ticket at that supply, without fees.' })
  ticketPrice!: bigint;
  @Field(() => Eth, { description: 'The same in ETH.' })
  ticketPriceEth!: bigint;
}

@ObjectType('NotificationChange', {
  description: 'A notification of the own agent, or one that a reorganisation took back.',
  simpleResolvers: true,
})
export class NotificationChange {
  @Field(() => ID, { description: SEQUENCE })
  sequence!: string;
  @Field(() => ChangeKind, { description: KIND })
  kind!: Of<typeof ChangeKind>;
  @Field(() => ID, { description: 'The id of the notification.' })
  id!: string;
  @Field(() => types.Notification, {
    nullable: true,
    description: 'The notification, which this does not count as read; null if it was removed.',
  })
  notification!: Node | null;
}

const AGENT = 'Only of this agent: its wallet address or its agentId.';
const AFTER = 'The sequence of the last event seen: all that came since, and what is to come. Kept for 24 hours.';

type Subscribed = { readonly args: Record<string, unknown>; readonly context: GraphContext };

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** A wallet need not be of an agent of this service: the chain has markets of others. */
async function walletOf({ deps }: GraphContext, reference: string | undefined): Promise<string | undefined> {
  if (reference === undefined) return undefined;
  if (/^0x[0-9a-fA-F]{40}$/.test(reference)) return reference.toLowerCase();
  return (await findAgent(deps, reference)).wallet;
}

const watchOf =
  (field: 'feedEvent' | 'trade' | 'price') =>
  async ({ args, context }: Subscribed): Promise<Watch> =>
    new Watch(field, await walletOf(context, textOf(args.agent)), textOf(args.after));

// Each field says what it watches; its method is called with each event that the hub has made for it.

@Resolver()
export class Subscriptions {
  @Subscription(() => FeedEventChange, {
    description: 'What happens in the agents of this service: registrations, trades and posts.',
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
    description: 'All trades, those in agents that are not of this service too.',
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
    description: 'The price of a ticket whenever it is another one. Nothing is removed: the latest is what holds.',
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
    description: "What the own agent is told. Needs the agent's key.",
    subscribe: (({ args, context }: Subscribed) =>
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
    description: 'In whose tickets; null if it is not of this service.',
  })
  agent(@Root() { agentAddress }: PriceChange, @Ctx() context: GraphContext): Promise<AgentNode | null> {
    return agentOf(context, agentAddress);
  }
}
