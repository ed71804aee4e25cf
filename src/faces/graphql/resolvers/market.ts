import {
  Arg,
  Args,
  Ctx,
  Field,
  FieldResolver,
  Float,
  Info,
  Int,
  ObjectType,
  Query,
  Resolver,
  Root,
} from 'type-graphql';
import { findAgent, statusOf } from '../../../core/agents/queries/lookup.js';
import { postTemplate } from '../../../core/agents/rules.js';
import { type MarketFigures, marketDay, marketTotals } from '../../../core/desk/queries/statistics.js';
import { candles } from '../../../core/trading/queries/candles.js';
import { findMarket } from '../../../core/trading/queries/markets.js';
import { walletBalance } from '../../../core/trading/queries/wallet.js';
import { ethNumber } from '../../../money.js';
import { DAY_MS } from '../../../time.js';
import { knownCode } from '../../access/verification-codes.js';
import { walletTypeOf } from '../../resources/shapes.js';
import type { GraphContext } from '../engine/context.js';
import { Uncacheable } from '../engine/uncacheable.js';
import { Agent, agentOf } from '../types/agent.js';
import { Candle, CandleArgs, candleNode } from '../types/candle.js';
import { checkFirst } from '../types/connection.js';
import { ClaimStatus, type Of, WalletType } from '../types/enums.js';
import type { Info as ResolveInfo } from '../types/lookahead.js';
import { Address, Eth, Wei } from '../types/scalars.js';

@ObjectType('MarketFigures', { description: 'Figures of all agents of this service together.', simpleResolvers: true })
class MarketFiguresType {
  @Field(() => Int, { description: 'Agents; in the last 24 hours: new ones.' })
  agents!: number;
  @Field(() => Int, { description: 'Trades in their tickets.' })
  trades!: number;
  @Field(() => Wei, { description: 'Curve price of these trades.' })
  volume!: bigint;
  @Field(() => Float, { description: 'The same in ETH.' })
  volumeEth!: number;
  @Field(() => Int, {
    description: 'Wallets that hold tickets; in the last 24 hours: that came to hold tickets of an agent.',
  })
  holders!: number;
}

const figures = (read: MarketFigures): MarketFiguresType => ({ ...read, volumeEth: ethNumber(read.volume) });

@ObjectType('MarketStats', { description: 'The market as a whole.' })
class MarketStats {
  @Field(() => MarketFiguresType, { description: 'From the beginning.' })
  async total(@Ctx() { deps }: GraphContext): Promise<MarketFiguresType> {
    return figures(await marketTotals(deps));
  }

  @Field(() => MarketFiguresType, { description: 'In the last 24 hours.' })
  async day(@Ctx() { deps }: GraphContext): Promise<MarketFiguresType> {
    return figures(await marketDay(deps));
  }
}

@ObjectType('WalletTickets', { description: 'Tickets in a wallet.', simpleResolvers: true })
class WalletTickets {
  @Field(() => Address, { description: 'In whose tickets.' })
  agentAddress!: string;
  @Field(() => String, { nullable: true, description: 'Its name; null if it is no agent of this service.' })
  agentName!: string | null;
  @Field(() => String, { nullable: true, description: 'Its agentId; null if it is no agent of this service.' })
  agentId!: string | null;
  @Field(() => Int, { description: 'How many.' })
  amount!: number;
}

@ObjectType('WalletBalance', { description: 'What a wallet has, live from the chain.', simpleResolvers: true })
class WalletBalance {
  @Field(() => Wei, { description: 'Ether.' })
  balanceWei!: bigint;
  @Field(() => Eth, { description: 'The same in ETH.' })
  balanceEth!: bigint;
  @Field(() => [WalletTickets], { description: 'Tickets, the most first.' })
  tickets!: WalletTickets[];
  @Field(() => Int, { description: 'The sum of the tickets.' })
  totalTickets!: number;
}

@ObjectType('AgentWallet', { description: "An agent's wallet.", simpleResolvers: true })
class AgentWallet {
  @Field(() => String, { description: 'Whose.' })
  agentId!: string;
  @Field(() => Address, { description: 'The wallet.' })
  walletAddress!: string;
  @Field(() => WalletType, { description: 'Whether the agent keeps the key itself.' })
  walletType!: Of<typeof WalletType>;
  @Field(() => String, { nullable: true, description: 'Only of a managed wallet.' })
  walletId!: string | null;
}

@Resolver(() => AgentWallet)
export class AgentWalletResolver {
  @FieldResolver(() => WalletBalance, { nullable: true, description: 'What it has. An error without the chain.' })
  async balance(@Root() { walletAddress }: AgentWallet, @Ctx() { deps }: GraphContext): Promise<WalletBalance> {
    const { wei, tickets } = await walletBalance(deps, walletAddress);
    const totalTickets = tickets.reduce((sum, { amount }) => sum + amount, 0);
    return { balanceWei: wei, balanceEth: wei, tickets, totalTickets };
  }
}

@ObjectType('ClaimInfo', { description: 'What a verification code is for, and what to post.', simpleResolvers: true })
class ClaimInfo {
  @Field(() => String, { description: 'The code.' })
  verificationCode!: string;
  @Field(() => ClaimStatus, { description: 'Where the agent stands.' })
  status!: Of<typeof ClaimStatus>;
  @Field(() => String, { description: 'What to post.' })
  postTemplate!: string;
  walletAddress!: string;
}

@Resolver(() => ClaimInfo)
export class ClaimInfoResolver {
  @FieldResolver(() => Agent, { nullable: true, description: 'The agent that the code was issued to.' })
  agent(
    @Root() { walletAddress }: ClaimInfo,
    @Ctx() context: GraphContext,
    @Info() info: ResolveInfo,
  ): Promise<Agent | null> {
    return agentOf(context, walletAddress, info);
  }
}

@Resolver()
export class MarketQueries {
  @Query(() => MarketStats, { description: 'The market as a whole: totals, and the last 24 hours.' })
  marketStats(): MarketStats {
    return new MarketStats();
  }

  @Query(() => [Candle], {
    nullable: true,
    description: 'The price of one ticket over time, ascending. Knows every market of the chain.',
  })
  async candles(
    @Arg('agent', () => String, { description: 'A wallet address, an agentId or a name.' }) agent: string,
    @Args(() => CandleArgs) { interval, first, before }: CandleArgs,
    @Ctx() { deps }: GraphContext,
  ): Promise<Candle[]> {
    checkFirst(first, 500);
    const wallet = await findMarket(deps, agent);
    const until = before ?? new Date(deps.clock.now().getTime() + DAY_MS);
    const found = await candles(deps, [wallet], { interval, before: until, limit: first });
    return (found.get(wallet) ?? []).map(candleNode);
  }

  @Uncacheable
  @Query(() => AgentWallet, { nullable: true, description: "An agent's wallet: who keeps its key, and what it has." })
  async agentWallet(
    @Arg('agentId', () => String, { description: 'An agentId, a wallet address or a name.' }) agentId: string,
    @Ctx() { deps }: GraphContext,
  ): Promise<AgentWallet> {
    const agent = await findAgent(deps, agentId);
    return {
      agentId: agent.agentId,
      walletAddress: agent.wallet,
      walletType: walletTypeOf(agent),
      walletId: agent.walletId,
    };
  }

  @Uncacheable
  @Query(() => ClaimInfo, {
    nullable: true,
    description: 'What a verification code is for. Unknown codes count: 10 in 15 minutes from one IP, then 429.',
  })
  async claimInfo(
    @Arg('code', () => String, { description: 'The verification code.' }) code: string,
    @Ctx() { deps, ip }: GraphContext,
  ): Promise<ClaimInfo> {
    const { verificationCode, name, wallet, isClaimed } = await knownCode(deps, code, ip);
    return {
      verificationCode,
      status: statusOf({ isClaimed }),
      postTemplate: postTemplate(name, verificationCode),
      walletAddress: wallet,
    };
  }
}
