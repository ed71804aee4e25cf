import { Args, ArgsType, Field, ID, Resolver, Root, Subscription } from 'type-graphql';
import { findAgent } from '../../../core/agents/queries/lookup.js';
import { type GraphContext, requireActor } from '../engine/context.js';
import { Watch } from '../live/watch.js';
import { agentField } from '../types/agent.js';
import type { Node } from '../types/generate.js';
import { types } from '../types/objects.js';

const AGENT = 'Only of this agent: its wallet address or its agentId.';
const AFTER = 'The sequence of the last event seen: all that came since, and what is to come. Kept for 24 hours.';

@ArgsType()
class AfterArgs {
  @Field(() => ID, { nullable: true, description: AFTER })
  after?: string | null;
}

@ArgsType()
class WatchArgs extends AfterArgs {
  @Field(() => String, { nullable: true, description: AGENT })
  agent?: string | null;
}

export const PriceAgent = agentField<{ readonly agent: string }>(types.PriceChange, ({ agent }) => agent, {
  description: 'In whose tickets; null if it is not of this service.',
});

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
  @Subscription(() => types.FeedEventChange, {
    description: 'What happens in the agents of this service: registrations, trades and posts.',
    subscribe: watchOf('feedEvent') as never,
  })
  feedEvent(@Root() change: Node, @Args(() => WatchArgs) _args: WatchArgs): Node {
    return change;
  }

  @Subscription(() => types.TradeChange, {
    description: 'All trades, those in agents that are not of this service too.',
    subscribe: watchOf('trade') as never,
  })
  trade(@Root() change: Node, @Args(() => WatchArgs) _args: WatchArgs): Node {
    return change;
  }

  @Subscription(() => types.PriceChange, {
    description: 'The price of a ticket whenever it is another one. Nothing is removed: the latest is what holds.',
    subscribe: watchOf('price') as never,
  })
  price(@Root() change: Node, @Args(() => WatchArgs) _args: WatchArgs): Node {
    return change;
  }

  @Subscription(() => types.NotificationChange, {
    description: "What the own agent is told. Needs the agent's key.",
    subscribe: (({ args, context }: Subscribed) =>
      new Watch('notification', requireActor(context).wallet, textOf(args.after))) as never,
  })
  notification(@Root() change: Node, @Args(() => AfterArgs) _args: AfterArgs): Node {
    return change;
  }
}
