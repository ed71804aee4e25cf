import { Arg, Args, Ctx, Field, FieldResolver, ObjectType, Query, Resolver, Root } from 'type-graphql';
import { findAgent } from '../../../core/agents/queries/lookup.js';
import { marketDay, marketTotals } from '../../../core/desk/queries/statistics.js';
import { candles } from '../../../core/trading/queries/candles.js';
import { findMarket } from '../../../core/trading/queries/markets.js';
import { walletBalance } from '../../../core/trading/queries/wallet.js';
import { DAY_MS } from '../../../time.js';
import { GUESS_LIMIT, knownCode } from '../../access/verification-codes.js';
import { pageSizes } from '../../page-sizes.js';
import type { GraphContext } from '../engine/context.js';
import { Uncacheable } from '../engine/uncacheable.js';
import { agentField } from '../types/agent.js';
import { CandleArgs } from '../types/candle-args.js';
import { checkFirst } from '../types/connection.js';
import type { Node } from '../types/generate.js';
import { types } from '../types/objects.js';

@ObjectType('MarketStats', { description: 'The market as a whole.' })
class MarketStats {
  @Field(() => types.MarketFigures, { description: 'From the beginning.' })
  async total(@Ctx() { deps }: GraphContext): Promise<Node> {
    return new types.MarketFigures(await marketTotals(deps));
  }

  @Field(() => types.MarketFigures, { description: 'In the last 24 hours.' })
  async day(@Ctx() { deps }: GraphContext): Promise<Node> {
    return new types.MarketFigures(await marketDay(deps));
  }
}

type WalletNode = Node<Awaited<ReturnType<typeof findAgent>>>;

@Resolver(() => types.AgentWallet)
export class AgentWalletResolver {
  @FieldResolver(() => types.WalletBalance, { nullable: true, description: 'What it has. An error without the chain.' })
  async balance(@Root() { row }: WalletNode, @Ctx() { deps }: GraphContext): Promise<Node> {
    return new types.WalletBalance(await walletBalance(deps, row.wallet));
  }
}

type ClaimNode = Node<Awaited<ReturnType<typeof knownCode>>>;

export const ClaimAgent = agentField<{ readonly wallet: string }>(types.ClaimInfo, ({ wallet }) => wallet, {
  description: 'Agent that the code was issued to.',
});

@Resolver()
export class MarketQueries {
  @Query(() => MarketStats, { description: 'The market as a whole: totals, and the last 24 hours.' })
  marketStats(): MarketStats {
    return new MarketStats();
  }

  @Query(() => [types.Candle], {
    nullable: true,
    description: 'The price of one ticket over time, ascending. Knows every market of the chain.',
  })
  async candles(
    @Arg('agent', () => String, { description: 'A wallet address, an agentId or a name.' }) agent: string,
    @Args(() => CandleArgs) { interval, first, before }: CandleArgs,
    @Ctx() { deps }: GraphContext,
  ): Promise<Node[]> {
    checkFirst(first, pageSizes.candles.max);
    const wallet = await findMarket(deps, agent);
    const until = before ?? new Date(deps.clock.now().getTime() + DAY_MS);
    const found = await candles(deps, [wallet], { interval, before: until, limit: first });
    return (found.get(wallet) ?? []).map((row) => new types.Candle(row));
  }

  @Uncacheable
  @Query(() => types.AgentWallet, {
    nullable: true,
    description: "An agent's wallet: who keeps its key, and what it has.",
  })
  async agentWallet(
    @Arg('agentId', () => String, { description: 'An agentId, a wallet address or a name.' }) agentId: string,
    @Ctx() { deps }: GraphContext,
  ): Promise<WalletNode> {
    return new types.AgentWallet(await findAgent(deps, agentId));
  }

  @Uncacheable
  @Query(() => types.ClaimInfo, {
    nullable: true,
    description: `What a verification code is for. Unknown codes count: ${GUESS_LIMIT}, then 429.`,
  })
  async claimInfo(
    @Arg('code', () => String, { description: 'The verification code.' }) code: string,
    @Ctx() { deps, ip }: GraphContext,
  ): Promise<ClaimNode> {
    return new types.ClaimInfo(await knownCode(deps, code, ip));
  }
}
