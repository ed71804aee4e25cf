import { Arg, Args, Ctx, Field, FieldResolver, Info, Int, ObjectType, Resolver, Root } from 'type-graphql';
import { unitPrice } from '../../../core/pricing/rules.js';
import type { Points } from '../../../core/seasons/queries/standings.js';
import type { CandleRow } from '../../../core/trading/queries/candles.js';
import { AppError } from '../../../errors.js';
import { DAY_MS } from '../../../time.js';
import { pnlCaches } from '../../pnl-caches.js';
import { formatPnl, formatSummary } from '../../resources/pnl-shape.js';
import { type GraphContext, requireActor } from '../engine/context.js';
import { Uncacheable } from '../engine/uncacheable.js';
import { Agent, AgentConnection, agentNode, agentNodeParts, agentOf } from '../types/agent.js';
import { Candle, CandleArgs, candleNode } from '../types/candle.js';
import {
  type Connection,
  checkFirst,
  connection,
  connectionType,
  type Keyed,
  PageArgs,
  pageIn,
  pageOf,
} from '../types/connection.js';
import { FeedType, type Of, TradeSide } from '../types/enums.js';
import { eventNode, eventParts, type FeedEvent, FeedEventConnection } from '../types/feed.js';
import type { Info as ResolveInfo } from '../types/lookahead.js';
import { Pnl, PnlSummary } from '../types/pnl.js';
import { Address, DateTime, Eth } from '../types/scalars.js';
import { SeasonPoints } from '../types/season.js';
import { type Trade, TradeConnection, tradeChoice, tradeNode } from '../types/trade.js';

@ObjectType('Holder', { description: 'A wallet that holds tickets of an agent.', simpleResolvers: true })
export class Holder {
  @Field(() => Address, { description: 'The wallet.' })
  address!: string;
  @Field(() => Int, { description: 'Tickets.' })
  amount!: number;
  @Field(() => DateTime, { description: 'When its balance last rose from 0.' })
  since!: Date;
}
const HolderConnection = connectionType('Holder', () => Holder, 'the holders of an agent');

@ObjectType('Holding', { description: 'Tickets that an agent holds in another.', simpleResolvers: true })
export class Holding {
  @Field(() => Address, { description: 'In whose tickets.' })
  agentAddress!: string;
  @Field(() => Int, { description: 'Tickets.' })
  amount!: number;
  @Field(() => Eth, { description: 'Curve price of one ticket now.' })
  ticketPriceEth!: bigint;
  @Field(() => Eth, { description: 'amount at that price: an estimate, since selling lowers the price.' })
  valueEth!: bigint;
}
const HoldingConnection = connectionType('Holding', () => Holding, 'what an agent holds in others');

@ObjectType('Follow', { description: 'A follow between two agents.', simpleResolvers: true })
export class Follow {
  @Field(() => Address, { description: 'The other agent.' })
  walletAddress!: string;
  @Field(() => DateTime, { description: 'Since when.' })
  followedAt!: Date;
}
const FollowConnection = connectionType('Follow', () => Follow, 'the follows of an agent');

@Resolver(() => Holder)
export class HolderResolver {
  @FieldResolver(() => Agent, { nullable: true, description: 'Null if the wallet is no agent of this service.' })
  agent(@Root() { address }: Holder, @Ctx() context: GraphContext, @Info() info: ResolveInfo): Promise<Agent | null> {
    return agentOf(context, address, info);
  }
}

@Resolver(() => Holding)
export class HoldingResolver {
  @FieldResolver(() => Agent, { nullable: true, description: 'Null if it is no agent of this service.' })
  agent(
    @Root() { agentAddress }: Holding,
    @Ctx() context: GraphContext,
    @Info() info: ResolveInfo,
  ): Promise<Agent | null> {
    return agentOf(context, agentAddress, info);
  }
}

@Resolver(() => Follow)
export class FollowResolver {
  @FieldResolver(() => Agent, { nullable: true, description: 'The other agent.' })
  agent(
    @Root() { walletAddress }: Follow,
    @Ctx() context: GraphContext,
    @Info() info: ResolveInfo,
  ): Promise<Agent | null> {
    return agentOf(context, walletAddress, info);
  }
}

@Resolver(() => Agent)
export class AgentRelations {
  @FieldResolver(() => HolderConnection, { description: 'Who holds its tickets, the most first.' })
  async holders(
    @Root() { id, holderCount }: Agent,
    @Args(() => PageArgs) args: PageArgs,
    @Ctx() { loaders }: GraphContext,
  ): Promise<Connection<Holder>> {
    const page = pageOf(args);
    const rows = await loaders.holders.load({ of: id, args: page });
    return connection(
      rows,
      page,
      ({ holder, amount, since }) => ({ address: holder, amount, since }),
      async () => holderCount,
    );
  }

  @FieldResolver(() => Int, { description: 'How many of its tickets a wallet holds.' })
  ticketBalance(
    @Root() { id }: Agent,
    @Arg('holderAddress', () => Address, { description: 'The wallet.' }) holder: string,
    @Ctx() { loaders }: GraphContext,
  ): Promise<number> {
    return loaders.ticketBalance.load({ of: id, args: { holder } });
  }

  @FieldResolver(() => HoldingConnection, { description: 'The tickets in other agents that it holds, the most first.' })
  async holdings(
    @Root() { id }: Agent,
    @Args(() => PageArgs) args: PageArgs,
    @Ctx() { loaders }: GraphContext,
  ): Promise<Connection<Holding>> {
    const page = pageOf(args);
    const rows = await loaders.holdings.load({ of: id, args: page });
    return connection(
      rows,
      page,
      ({ agent, amount, supply }) => {
        const price = unitPrice(BigInt(supply));
        return { agentAddress: agent, amount, ticketPriceEth: price, valueEth: price * BigInt(amount) };
      },
      () => loaders.holdingCount.load(id),
    );
  }

  @FieldResolver(() => TradeConnection, { description: 'The trades that it made, or received in its tickets.' })
  async trades(
    @Root() { id }: Agent,
    @Args(() => PageArgs) args: PageArgs,
    @Arg('side', () => TradeSide, { defaultValue: 'made', description: 'Made by it, or in its tickets.' })
    side: Of<typeof TradeSide>,
    @Ctx() { loaders }: GraphContext,
    @Info() info: ResolveInfo,
  ): Promise<Connection<Trade>> {
    const page = pageIn(info, args);
    const rows = await loaders.trades(tradeChoice(info)).load({ of: id, args: { ...page, side } });
    return connection(rows, page, tradeNode, () => loaders.tradeCount.load({ of: id, args: side }));
  }

  @FieldResolver(() => FollowConnection, { description: 'Who follows it, the latest first.' })
  async followers(
    @Root() { id, followerCount }: Agent,
    @Args(() => PageArgs) args: PageArgs,
    @Ctx() { loaders }: GraphContext,
  ): Promise<Connection<Follow>> {
    const page = pageOf(args);
    return follows(await loaders.follows.load({ of: id, args: { ...page, side: 'followers' } }), page, followerCount);
  }

  @FieldResolver(() => FollowConnection, { description: 'Whom it follows, the latest first.' })
  async following(
    @Root() { id, followingCount }: Agent,
    @Args(() => PageArgs) args: PageArgs,
    @Ctx() { loaders }: GraphContext,
  ): Promise<Connection<Follow>> {
    const page = pageOf(args);
    return follows(await loaders.follows.load({ of: id, args: { ...page, side: 'following' } }), page, followingCount);
  }

  @FieldResolver(() => AgentConnection, { description: 'The agents that name it as their referrer, the latest first.' })
  async referrals(
    @Root() { id }: Agent,
    @Args(() => PageArgs) args: PageArgs,
    @Ctx() context: GraphContext,
    @Info() info: ResolveInfo,
  ): Promise<Connection<Agent>> {
    const page = pageOf(args);
    const rows = await context.loaders.referrals.load({ of: id, args: { ...page, parts: agentNodeParts(info) } });
    return connection(rows, page, agentNode, () => context.loaders.referralCount.load(id));
  }

  @FieldResolver(() => FeedEventConnection, { description: 'Its events, the newest first.' })
  async feed(
    @Root() { id }: Agent,
    @Args(() => PageArgs) args: PageArgs,
    @Arg('type', () => FeedType, { nullable: true, description: 'Only of this kind.' })
    only: Of<typeof FeedType> | undefined,
    @Ctx() context: GraphContext,
    @Info() info: ResolveInfo,
  ): Promise<Connection<FeedEvent>> {
    const page = pageOf(args);
    const type = only ?? undefined;
    const rows = await context.loaders.feed.load({ of: id, args: { ...page, type, parts: eventParts(info) } });
    return connection(
      rows,
      page,
      (row) => eventNode(row, context),
      () => context.loaders.feedCount.load({ of: id, args: { type } }),
    );
  }

  @FieldResolver(() => [Candle], { description: 'The price of one ticket over time, ascending.' })
  async candles(
    @Root() { id }: Agent,
    @Args(() => CandleArgs) { interval, first, before }: CandleArgs,
    @Ctx() { deps, loaders }: GraphContext,
  ): Promise<Candle[]> {
    checkFirst(first, 500);
    // Without one, the end of the next day: the same moment for every parent of the request.
    const until = before ?? new Date((Math.floor(deps.clock.now().getTime() / DAY_MS) + 2) * DAY_MS);
    const args = { interval, first, before: until.toISOString(), after: null };
    const rows: readonly CandleRow[] = await loaders.candles.load({ of: id, args });
    return rows.map(candleNode);
  }

  @FieldResolver(() => SeasonPoints, { nullable: true, description: 'Its points; null before it is scored.' })
  points(
    @Root() { id }: Agent,
    @Arg('season', () => Int, { nullable: true, description: 'Of this season; of the one that counts now without.' })
    season: number | undefined,
    @Ctx() { loaders }: GraphContext,
  ): Promise<Points | null> {
    return loaders.points.load({ of: id, args: { season: season ?? undefined } });
  }

  @FieldResolver(() => PnlSummary, { description: 'Its profit and loss, summed. At most 30 seconds old.' })
  async pnl(@Root() { id }: Agent, @Ctx() { deps, loaders }: GraphContext): Promise<PnlSummary> {
    const [summary, usd] = await Promise.all([loaders.pnl.load(id), deps.ethUsd()]);
    return formatSummary(summary, usd);
  }

  @Uncacheable
  @FieldResolver(() => Pnl, { nullable: true, description: "In full: for the agent's own key alone." })
  async fullPnl(@Root() { id }: Agent, @Ctx() context: GraphContext): Promise<Pnl> {
    const { deps } = context;
    if (requireActor(context).wallet !== id) throw new AppError('NOT_AUTHORIZED');
    const [pnl, usd] = await Promise.all([pnlCaches.owner(deps, id), deps.ethUsd()]);
    return formatPnl(pnl, usd);
  }
}

type FollowRow = Keyed & { readonly wallet: string; readonly followedAt: Date };

const follows = (rows: readonly FollowRow[], page: ReturnType<typeof pageOf>, total: number): Connection<Follow> =>
  connection(
    rows,
    page,
    ({ wallet, followedAt }) => ({ walletAddress: wallet, followedAt }),
    async () => total,
  );
