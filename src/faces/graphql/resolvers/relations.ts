import { Arg, Args, ArgsType, Ctx, Field, FieldResolver, Info, Int, Resolver, Root } from 'type-graphql';
import type { CandleRow } from '../../../core/trading/queries/candles.js';
import type { HolderRow, HoldingRow } from '../../../core/trading/queries/holdings.js';
import { AppError } from '../../../errors.js';
import { DAY_MS } from '../../../time.js';
import { pageSizes } from '../../page-sizes.js';
import { pnlCaches } from '../../pnl-caches.js';
import { pnlRow } from '../../resources/pnl.js';
import { type GraphContext, requireActor } from '../engine/context.js';
import { Uncacheable } from '../engine/uncacheable.js';
import { AgentConnection, type AgentNode, agentField, agentNode, agentNodeParts } from '../types/agent.js';
import { CandleArgs } from '../types/candle-args.js';
import {
  type Connection,
  checkFirst,
  connection,
  connectionType,
  type Keyed,
  PageArgs,
  type PageRequest,
  pageIn,
  pageOf,
} from '../types/connection.js';
import { type Of, TradeSide } from '../types/enums.js';
import { AgentFeedArgs, type EventNode, eventNode, eventParts, FeedEventConnection } from '../types/feed.js';
import { type Node, nodeOf } from '../types/generate.js';
import type { Info as ResolveInfo } from '../types/lookahead.js';
import { types } from '../types/objects.js';
import { Address } from '../types/scalars.js';
import { TradeConnection, type TradeNode, tradeChoice, tradeNode } from '../types/trade.js';

const HolderConnection = connectionType('Holder', () => types.Holder, 'the holders of an agent');
const HoldingConnection = connectionType('Holding', () => types.Holding, 'what an agent holds in others');
const FollowConnection = connectionType('Follow', () => types.Follow, 'the follows of an agent');

export const HolderAgent = agentField<HolderRow>(types.Holder, ({ holder }) => holder, {
  description: 'The holder. Null if the wallet is not an agent of this service.',
});
export const HoldingAgent = agentField<HoldingRow>(types.Holding, ({ agent }) => agent, {
  description: 'Agent whose tickets are held. Null if it is not an agent of this service.',
});
export const FollowAgent = agentField<FollowRow>(types.Follow, ({ wallet }) => wallet, {
  description: 'The other agent.',
});

@ArgsType()
class AgentTradeArgs extends PageArgs {
  @Field(() => TradeSide, { defaultValue: 'made', description: 'Made by it, or in its tickets.' })
  side!: Of<typeof TradeSide>;
}

@Resolver(() => types.Agent)
export class AgentRelations {
  @FieldResolver(() => HolderConnection, { description: 'Who holds its tickets, the most first.' })
  async holders(
    @Root() { row: agent }: AgentNode,
    @Args(() => PageArgs) args: PageArgs,
    @Ctx() { loaders }: GraphContext,
  ): Promise<Connection<Node>> {
    const page = pageOf(args);
    const rows = await loaders.holders.load({ of: agent.wallet, args: page });
    return connection(rows, page, nodeOf(types.Holder), () => agent.holderCount ?? 0);
  }

  @FieldResolver(() => Int, { description: 'How many of its tickets a wallet holds.' })
  ticketBalance(
    @Root() { row }: AgentNode,
    @Arg('holderAddress', () => Address, { description: 'The wallet.' }) holder: string,
    @Ctx() { loaders }: GraphContext,
  ): Promise<number> {
    return loaders.ticketBalance.load({ of: row.wallet, args: { holder } });
  }

  @FieldResolver(() => HoldingConnection, { description: 'The tickets in other agents that it holds, the most first.' })
  async holdings(
    @Root() { row }: AgentNode,
    @Args(() => PageArgs) args: PageArgs,
    @Ctx() { loaders }: GraphContext,
  ): Promise<Connection<Node>> {
    const page = pageOf(args);
    const rows = await loaders.holdings.load({ of: row.wallet, args: page });
    return connection(rows, page, nodeOf(types.Holding), () => loaders.holdingCount.load(row.wallet));
  }

  @FieldResolver(() => TradeConnection, { description: 'The trades that it made, or received in its tickets.' })
  async trades(
    @Root() { row }: AgentNode,
    @Args(() => AgentTradeArgs) { side, ...args }: AgentTradeArgs,
    @Ctx() context: GraphContext,
    @Info() info: ResolveInfo,
  ): Promise<Connection<TradeNode>> {
    const { loaders } = context;
    const page = pageIn(context, info, args);
    const rows = await loaders.trades(tradeChoice(context, info)).load({ of: row.wallet, args: { ...page, side } });
    return connection(rows, page, tradeNode, () => loaders.tradeCount.load({ of: row.wallet, args: side }));
  }

  @FieldResolver(() => FollowConnection, { description: 'Who follows it, the latest first.' })
  async followers(
    @Root() { row }: AgentNode,
    @Args(() => PageArgs) args: PageArgs,
    @Ctx() { loaders }: GraphContext,
  ): Promise<Connection<Node<FollowRow>>> {
    const page = pageOf(args);
    const rows = await loaders.follows.load({ of: row.wallet, args: { ...page, side: 'followers' } });
    return followConnection(rows, page, row.followerCount);
  }

  @FieldResolver(() => FollowConnection, { description: 'Whom it follows, the latest first.' })
  async following(
    @Root() { row }: AgentNode,
    @Args(() => PageArgs) args: PageArgs,
    @Ctx() { loaders }: GraphContext,
  ): Promise<Connection<Node<FollowRow>>> {
    const page = pageOf(args);
    const rows = await loaders.follows.load({ of: row.wallet, args: { ...page, side: 'following' } });
    return followConnection(rows, page, row.followingCount);
  }

  @FieldResolver(() => AgentConnection, { description: 'The agents that name it as their referrer, the latest first.' })
  async referrals(
    @Root() { row }: AgentNode,
    @Args(() => PageArgs) args: PageArgs,
    @Ctx() context: GraphContext,
    @Info() info: ResolveInfo,
  ): Promise<Connection<AgentNode>> {
    const { loaders } = context;
    const page = pageOf(args);
    const rows = await loaders.referrals.load({
      of: row.wallet,
      args: { ...page, parts: agentNodeParts(context, info) },
    });
    const total = async () => (await loaders.agent(['referralCount']).load(row.wallet))?.referralCount ?? 0;
    return connection(rows, page, agentNode, total);
  }

  @FieldResolver(() => FeedEventConnection, { description: 'Its events, the newest first.' })
  async feed(
    @Root() { row }: AgentNode,
    @Args(() => AgentFeedArgs) args: AgentFeedArgs,
    @Ctx() context: GraphContext,
    @Info() info: ResolveInfo,
  ): Promise<Connection<EventNode>> {
    const page = pageOf(args);
    const type = args.type ?? undefined;
    const rows = await context.loaders.feed.load({
      of: row.wallet,
      args: { ...page, type, parts: eventParts(context, info) },
    });
    const total = () => context.loaders.feedCount.load({ of: row.wallet, args: { type } });
    return connection(rows, page, eventNode(context), total);
  }

  @FieldResolver(() => [types.Candle], { description: 'The price of one ticket over time, ascending.' })
  async candles(
    @Root() { row }: AgentNode,
    @Args(() => CandleArgs) { interval, first, before }: CandleArgs,
    @Ctx() { deps, loaders }: GraphContext,
  ): Promise<Node[]> {
    checkFirst(first, pageSizes.candles.max);
    // Without one, the end of the next day: the same moment for every parent of the request.
    const until = before ?? new Date((Math.floor(deps.clock.now().getTime() / DAY_MS) + 2) * DAY_MS);
    const args = { interval, first, before: until.toISOString(), after: null };
    const rows: readonly CandleRow[] = await loaders.candles.load({ of: row.wallet, args });
    return rows.map(nodeOf(types.Candle));
  }

  @FieldResolver(() => types.SeasonPoints, { nullable: true, description: 'Its points; null before it is scored.' })
  async points(
    @Root() { row }: AgentNode,
    @Arg('season', () => Int, { nullable: true, description: 'Of this season; of the one that counts now without.' })
    season: number | undefined,
    @Ctx() { loaders }: GraphContext,
  ): Promise<Node | null> {
    const points = await loaders.points.load({ of: row.wallet, args: { season: season ?? undefined } });
    return points && new types.SeasonPoints(points);
  }

  @FieldResolver(() => types.PnlSummary, { description: 'Its profit and loss, summed. At most 30 seconds old.' })
  async pnl(@Root() { row }: AgentNode, @Ctx() { deps, loaders }: GraphContext): Promise<Node> {
    const [summary, usd] = await Promise.all([loaders.pnl.load(row.wallet), deps.ethUsd()]);
    return new types.PnlSummary({ ...summary, usd });
  }

  @Uncacheable
  @FieldResolver(() => types.Pnl, { nullable: true, description: "In full: for the agent's own key alone." })
  async fullPnl(@Root() { row }: AgentNode, @Ctx() context: GraphContext): Promise<Node> {
    const { deps } = context;
    if (requireActor(context).wallet !== row.wallet) throw new AppError('NOT_AUTHORIZED');
    const [pnl, usd] = await Promise.all([pnlCaches.owner(deps, row.wallet), deps.ethUsd()]);
    return new types.Pnl(pnlRow(pnl, usd));
  }
}

type FollowRow = Keyed & { readonly wallet: string; readonly followedAt: Date };

const followConnection = (rows: readonly FollowRow[], page: PageRequest, total = 0): Connection<Node<FollowRow>> =>
  connection(rows, page, nodeOf(types.Follow), () => total);
