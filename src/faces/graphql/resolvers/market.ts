import { Arg, Args, Ctx, Field, FieldResolver, Float, ID, ObjectType, Query, Resolver, Root } from 'type-graphql';
import { findAgent } from '../../../features/agents/lookup.js';
import { agentOfCode, GUESS_LIMIT } from '../../../features/claims/code-guesses.js';
import { marketDay, marketTotals } from '../../../features/market/statistics.js';
import { candles } from '../../../features/prices/candles.js';
import { findMarket } from '../../../features/prices/markets.js';
import { walletBalance } from '../../../features/trading/wallet.js';
import { pageSizes } from '../../../server/page-sizes.js';
import { DAY_MS } from '../../../time.js';
import type { GraphContext } from '../engine/context.js';
import { agentField } from '../types/agent.js';
import { checkFirst } from '../types/connection.js';
import type { Node } from '../types/generate.js';
import { nullable } from '../types/given.js';
import { types } from '../types/objects.js';
import { AgentRef } from '../types/scalars.js';
import { Uncacheable } from '../types/uncacheable.js';
import { CandleArgs } from './relations.js';

@ObjectType('MarketStats', { description: 'Statistics of the whole market.' })
class MarketStats {
  @Field(() => ID, { description: 'Id, unique over all types: MarketStats.' })
  readonly id = 'MarketStats';

  @Field(() => types.MarketFigures, { description: 'Totals since the start of the market.' })
  async total(@Ctx() { deps }: GraphContext): Promise<Node> {
    return new types.MarketFigures({ ...(await marketTotals(deps)), span: 'total' });
  }

  @Field(() => types.MarketFigures, { description: 'Totals for the last 24 hours.' })
  async day(@Ctx() { deps }: GraphContext): Promise<Node> {
    return new types.MarketFigures({ ...(await marketDay(deps)), span: 'day' });
  }

  @Field(() => Float, { description: 'Price of 1 ETH, in US dollars.' })
  ethUsd(@Ctx() { deps }: GraphContext): Promise<number> {
    return deps.ethUsd();
  }
}

type WalletNode = Node<Awaited<ReturnType<typeof findAgent>>>;

@Resolver(() => types.AgentWallet)
export class AgentWalletResolver {
  @FieldResolver(() => types.WalletBalance, {
    nullable: true,
    description: 'Ether and tickets of the wallet. Null with an error if the chain is unavailable.',
  })
  async balance(@Root() { row }: WalletNode, @Ctx() { deps }: GraphContext): Promise<Node> {
    return new types.WalletBalance({ ...(await walletBalance(deps, row.wallet)), wallet: row.wallet });
  }
}

type ClaimNode = Node<Awaited<ReturnType<typeof agentOfCode>>>;

agentField<{ readonly wallet: string }>(types.ClaimInfo, ({ wallet }) => wallet, {
  description: 'Agent that the code was issued to.',
});

@Resolver()
export class MarketQueries {
  @Query(() => MarketStats, {
    nullable: true,
    description: 'Statistics of the whole market: totals, and the last 24 hours.',
  })
  marketStats(): MarketStats {
    return new MarketStats();
  }

  @Query(() => [types.Candle], {
    nullable: true,
    description:
      'Price of one ticket over time, oldest candle first. Covers every market of the chain, also of agents that are not registered here.',
  })
  async candles(
    @Arg('agent', () => AgentRef, { description: 'The agent.' }) agent: string,
    @Args(() => CandleArgs) { interval, first, before }: CandleArgs,
    @Ctx() { deps }: GraphContext,
  ): Promise<Node[]> {
    checkFirst(first, pageSizes.candles.max);
    const wallet = await findMarket(deps, agent);
    const until = before ?? new Date(deps.clock.now().getTime() + DAY_MS);
    const found = await candles(deps, [wallet], { interval, before: until, limit: first });
    return (found.get(wallet) ?? []).map((row) => new types.Candle({ ...row, interval }));
  }

  @Uncacheable
  @Query(() => types.AgentWallet, nullable('Wallet of an agent: its type and its balance.'))
  async agentWallet(
    @Arg('agentId', () => String, { description: 'agentId, wallet address or name of the agent.' }) agentId: string,
    @Ctx() { deps }: GraphContext,
  ): Promise<WalletNode> {
    return new types.AgentWallet(await findAgent(deps, agentId));
  }

  @Uncacheable
  @Query(() => types.ClaimInfo, {
    nullable: true,
    description: `Agent that a verification code belongs to, and the text to post to claim it. Rate limit of unknown codes: ${GUESS_LIMIT}.`,
  })
  async claimInfo(
    @Arg('code', () => String, { description: 'Verification code from the registration.' }) code: string,
    @Ctx() { deps, ip }: GraphContext,
  ): Promise<ClaimNode> {
    return new types.ClaimInfo(await agentOfCode(deps, code, ip));
  }
}
