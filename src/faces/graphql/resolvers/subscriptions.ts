import { Args, ArgsType, Ctx, Field, ID, Query, Resolver, Root, Subscription } from 'type-graphql';
import { settledSequence } from '../../../live/log.js';
import { type GraphContext, requireActor } from '../engine/context.js';
import { Watch } from '../live/watch.js';
import { agentField, walletOf } from '../types/agent.js';
import type { Node } from '../types/generate.js';
import { nullable } from '../types/given.js';
import { types } from '../types/objects.js';
import { AgentRef } from '../types/scalars.js';

const AGENT = 'Only events of this agent.';
const AFTER =
  'sequence of the last event that the client received. The subscription first delivers the events after it. Events are stored for 24 hours.';

@ArgsType()
class AfterArgs {
  @Field(() => ID, nullable(AFTER))
  after?: string | null;
}

@ArgsType()
class WatchArgs extends AfterArgs {
  @Field(() => AgentRef, nullable(AGENT))
  agent?: string | null;
}

agentField<{ readonly agent: string }>(types.PriceChange, ({ agent }) => agent, {
  description: 'Agent whose ticket price changed. Null if it is not an agent of this service.',
});

type SubscribeRequest = { readonly args: Record<string, unknown>; readonly context: GraphContext };

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

const watchOf =
  (field: 'feedEvent' | 'trade' | 'price') =>
  async ({ args, context }: SubscribeRequest): Promise<Watch> => {
    const reference = textOf(args.agent);
    return new Watch(field, reference && (await walletOf(context, reference)), textOf(args.after));
  };

// `subscribe` returns what a field watches. The method of the field resolves each event that the hub delivers.

@Resolver()
export class Subscriptions {
  @Query(() => ID, {
    nullable: true,
    description:
      'Position of the live events 20 seconds ago. Read it before your lists, and pass it as the argument `after` of a subscription: ' +
      'it delivers every event that the lists do not show. A cache must not keep the position, because it belongs to these lists.',
  })
  async liveSequence(@Ctx() { deps }: GraphContext): Promise<string> {
    return String(await settledSequence(deps));
  }

  @Subscription(() => types.FeedEventChange, {
    description: 'New and removed feed events of the agents of this service: registrations, trades and posts.',
    subscribe: watchOf('feedEvent') as never,
  })
  feedEvent(@Root() change: Node, @Args(() => WatchArgs) _args: WatchArgs): Node {
    return change;
  }

  @Subscription(() => types.TradeChange, {
    description: 'New and removed trades, also in agents that are not registered here.',
    subscribe: watchOf('trade') as never,
  })
  trade(@Root() change: Node, @Args(() => WatchArgs) _args: WatchArgs): Node {
    return change;
  }

  @Subscription(() => types.PriceChange, {
    description: 'Price of a ticket after each change. Prices are never removed: the latest one is valid.',
    subscribe: watchOf('price') as never,
  })
  price(@Root() change: Node, @Args(() => WatchArgs) _args: WatchArgs): Node {
    return change;
  }

  @Subscription(() => types.NotificationChange, {
    description: 'New and removed notifications of the authenticated agent. Requires an API key.',
    subscribe: (({ args, context }: SubscribeRequest) =>
      new Watch('notification', requireActor(context).wallet, textOf(args.after))) as never,
  })
  notification(@Root() change: Node, @Args(() => AfterArgs) _args: AfterArgs): Node {
    return change;
  }
}
