import { ArgsType, Ctx, Field, FieldResolver, Int, Resolver, Root } from 'type-graphql';
import { AppError } from '../../../errors.js';
import type { PartialAgent } from '../../../features/agents/agent-row.js';
import type { FollowRow } from '../../../features/follows/queries.js';
import type { HolderRow, HoldingRow } from '../../../features/market/holdings.js';
import type { CandleRow } from '../../../features/prices/candles.js';
import { pnlCaches } from '../../../features/trading/pnl.js';
import { pnlRow } from '../../../features/trading/pnl-resource.js';
import { pageSizes } from '../../../server/page-sizes.js';
import { DAY_MS } from '../../../time.js';
import { type GraphContext, requireActor } from '../engine/context.js';
import {
  AgentConnection,
  type AgentNode,
  agentField,
  agentNode,
  agentNodeParts,
  type RelationOptions,
  type Resolve,
  relation,
} from '../types/agent.js';
import { checkFirst, connection, connectionType, firstOf, PageArgs, pageIn } from '../types/connection.js';
import { Interval, type Of, TradeSide } from '../types/enums.js';
import { AgentFeedArgs, eventNode, eventParts, FeedEventConnection } from '../types/feed.js';
import { type Node, nodeOf } from '../types/generate.js';
import { nullable } from '../types/given.js';
import { types } from '../types/objects.js';
import { Address, DateTime } from '../types/scalars.js';
import { TradeConnection, tradeChoice, tradeNode } from '../types/trade.js';
import { Uncacheable } from '../types/uncacheable.js';

const HolderConnection = connectionType('Holder', () => types.Holder, 'holders of an agent');
const HoldingConnection = connectionType('Holding', () => types.Holding, 'holdings of an agent');
const FollowConnection = connectionType('Follow', () => types.Follow, 'follows of an agent');

agentField<HolderRow>(types.Holder, ({ holder }) => holder, {
  description: 'Agent that holds the tickets. Null if the wallet is not an agent of this service.',
});
agentField<HoldingRow>(types.Holding, ({ agent }) => agent, {
  description: 'Agent whose tickets are held. Null if it is not an agent of this service.',
});
agentField<FollowRow>(types.Follow, ({ wallet }) => wallet, {
  description: 'The follower, or the followed agent.',
});

@ArgsType()
class AgentTradeArgs extends PageArgs {
  @Field(() => TradeSide, { defaultValue: 'made', description: 'Trades made by the agent, or trades in its tickets.' })
  side!: Of<typeof TradeSide>;
}

@ArgsType()
class TicketBalanceArgs {
  @Field(() => Address, { description: 'Wallet address of the holder.' })
  holderAddress!: string;
}

@ArgsType()
export class CandleArgs {
  @Field(() => Interval, { defaultValue: '1h', description: 'Length of one candle.' })
  interval!: Of<typeof Interval>;

  @Field(() => Int, {
    defaultValue: pageSizes.candles.fallback,
    description: `${firstOf(pageSizes.candles)} The answer has the newest candles.`,
  })
  first!: number;

  @Field(() => DateTime, nullable('Only candles that start before this time. Default: the newest candles.'))
  before?: Date | null;
}

@ArgsType()
class PointsArgs {
  @Field(() => Int, {
    nullable: true,
    description: 'Number of the season. Default: the running season, or the latest season if none is running.',
  })
  season?: number | null;
}

/** Adds a relation to the agents. */
const ofAgent = <Args>(name: string, options: RelationOptions<Args>, resolve: Resolve<PartialAgent, Args>): void =>
  relation(types.Agent, name, options, resolve);

ofAgent(
  'holders',
  {
    type: () => HolderConnection,
    args: PageArgs,
    description: 'Wallets that hold tickets of the agent, largest holding first.',
  },
  async ({ wallet, holderCount = 0 }, args, context, info) => {
    const page = pageIn(context, info, args);
    const rows = await context.loaders.holders.load({ of: wallet, args: page });
    return connection(rows, page, nodeOf(types.Holder), () => holderCount);
  },
);

ofAgent(
  'ticketBalance',
  {
    type: () => Int,
    args: TicketBalanceArgs,
    description: 'Number of tickets of the agent that a wallet holds. 0 if it holds none.',
  },
  ({ wallet }, { holderAddress: holder }, { loaders }) => loaders.ticketBalance.load({ of: wallet, args: { holder } }),
);

ofAgent(
  'holdings',
  {
    type: () => HoldingConnection,
    args: PageArgs,
    description: 'Tickets that the agent holds in other agents, largest holding first.',
  },
  async ({ wallet }, args, context, info) => {
    const page = pageIn(context, info, args);
    const rows = await context.loaders.holdings.load({ of: wallet, args: page });
    return connection(rows, page, nodeOf(types.Holding), () => context.loaders.holdingCount.load(wallet));
  },
);

ofAgent(
  'trades',
  {
    type: () => TradeConnection,
    args: AgentTradeArgs,
    description: 'Trades that the agent made, or trades in its tickets, newest first.',
  },
  async ({ wallet }, { side, ...args }, context, info) => {
    const { loaders } = context;
    const page = pageIn(context, info, args);
    const rows = await loaders.trades(tradeChoice(context, info)).load({ of: wallet, args: { ...page, side } });
    return connection(rows, page, tradeNode, () => loaders.tradeCount.load({ of: wallet, args: side }));
  },
);

for (const [side, description] of [
  ['followers', 'Followers of the agent, latest follow first.'],
  ['following', 'Agents that the agent follows, latest follow first.'],
] as const) {
  ofAgent(side, { type: () => FollowConnection, args: PageArgs, description }, async (row, args, context, info) => {
    const page = pageIn(context, info, args);
    const rows = await context.loaders.follows.load({ of: row.wallet, args: { ...page, side } });
    const total = (side === 'followers' ? row.followerCount : row.followingCount) ?? 0;
    return connection(rows, page, nodeOf(types.Follow), () => total);
  });
}

ofAgent(
  'referrals',
  {
    type: () => AgentConnection,
    args: PageArgs,
    description: 'Agents that name the agent as their referrer, latest referral first.',
  },
  async ({ wallet }, args, context, info) => {
    const { loaders } = context;
    const page = pageIn(context, info, args);
    const rows = await loaders.referrals.load({ of: wallet, args: { ...page, parts: agentNodeParts(context, info) } });
    const total = async () => (await loaders.agent(['referralCount']).load(wallet))?.referralCount ?? 0;
    return connection(rows, page, agentNode, total);
  },
);

ofAgent(
  'feed',
  { type: () => FeedEventConnection, args: AgentFeedArgs, description: 'Feed events of the agent, newest first.' },
  async ({ wallet }, args, context, info) => {
    const page = pageIn(context, info, args);
    const type = args.type ?? undefined;
    const parts = eventParts(context, info);
    const rows = await context.loaders.feed.load({ of: wallet, args: { ...page, type, parts } });
    const total = () => context.loaders.feedCount.load({ of: wallet, args: { type } });
    return connection(rows, page, eventNode, total);
  },
);

ofAgent(
  'candles',
  {
    type: () => [types.Candle],
    args: CandleArgs,
    description: 'Price of one ticket over time, oldest candle first.',
  },
  async ({ wallet }, { interval, first, before }, { deps, loaders }) => {
    checkFirst(first, pageSizes.candles.max);
    // The default is the end of the next day, so that all agents of a request have the same arguments and share a batch.
    const until = before ?? new Date((Math.floor(deps.clock.now().getTime() / DAY_MS) + 2) * DAY_MS);
    const args = { interval, before: until.toISOString(), limit: first };
    const rows: readonly CandleRow[] = await loaders.candles.load({ of: wallet, args });
    return rows.map((row) => new types.Candle({ ...row, interval }));
  },
);

ofAgent(
  'points',
  {
    type: () => types.SeasonPoints,
    args: PointsArgs,
    nullable: true,
    description: 'Points of the agent in a season. Null if the agent has no points in it yet.',
  },
  async ({ wallet }, { season }, { loaders }) => {
    const points = await loaders.points.load({ of: wallet, args: { season: season ?? undefined } });
    return points && new types.SeasonPoints(points);
  },
);

@Resolver(() => types.Agent)
export class AgentPnl {
  @FieldResolver(() => types.PnlSummary, {
    description: 'Profit and loss of the agent as totals. At most 30 seconds old.',
  })
  async pnl(@Root() { row }: AgentNode, @Ctx() { deps, loaders }: GraphContext): Promise<Node> {
    const [summary, usd] = await Promise.all([loaders.pnl.load(row.wallet), deps.ethUsd()]);
    return new types.PnlSummary({ ...summary, usd });
  }

  @Uncacheable
  @FieldResolver(() => types.Pnl, {
    nullable: true,
    description: 'Complete profit and loss. Null with an error unless the API key of this agent was sent.',
  })
  async fullPnl(@Root() { row }: AgentNode, @Ctx() context: GraphContext): Promise<Node> {
    const { deps } = context;
    if (requireActor(context).wallet !== row.wallet) throw new AppError('NOT_AUTHORIZED');
    const [pnl, usd] = await Promise.all([pnlCaches.owner(deps, row.wallet), deps.ethUsd()]);
    return new types.Pnl(pnlRow(pnl, usd));
  }

  @Uncacheable
  @FieldResolver(() => types.Me, {
    nullable: true,
    description:
      'Private part of the agent. Null unless the API key of this agent was sent. A mutation of the agent returns its changes here.',
  })
  async me(@Root() { row }: AgentNode, @Ctx() { loaders }: GraphContext): Promise<Node | null> {
    const own = await loaders.me(row.wallet);
    return own && new types.Me(own);
  }
}
