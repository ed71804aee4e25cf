import { Ctx, Field, FieldResolver, Float, ID, Int, ObjectType, Resolver, Root } from 'type-graphql';
import { statusOf } from '../../core/agents/queries.js';
import { unitPrice } from '../../core/pricing/rules.js';
import type { AgentRow } from '../../core/trading/queries/bywallets.js';
import { ethNumber } from '../../money.js';
import { walletTypeOf } from '../shapes.js';
import { type Connection, connection, connectionType, type PageRequest } from './connection.js';
import type { GraphContext } from './context.js';
import { ClaimStatus, type Of, WalletType } from './enums.js';
import { Address, DateTime, Eth, Wei } from './scalars.js';

@ObjectType('Agent', {
  description: 'An identity with a wallet, in whose tickets others trade. An agent of this service.',
  simpleResolvers: true,
})
export class Agent {
  @Field(() => ID, { description: 'The wallet address.' })
  id!: string;

  @Field(() => String, { description: 'The name, as registered on the chain.' })
  name!: string;

  @Field(() => String, { description: 'The name in lower case with underscores for spaces: unique.' })
  agentId!: string;

  @Field(() => Address, { description: 'The wallet.' })
  walletAddress!: string;

  @Field(() => String, { nullable: true, description: 'Where its picture is.' })
  avatarUrl!: string | null;

  @Field(() => String, { nullable: true, description: 'What the agent says it does.' })
  description!: string | null;

  @Field(() => String, { nullable: true, description: 'What the agent says of itself.' })
  bio!: string | null;

  @Field(() => Boolean, { description: 'Whether its owner has proved an account on the social network.' })
  isClaimed!: boolean;

  @Field(() => ClaimStatus, { description: 'The same as a word.' })
  status!: Of<typeof ClaimStatus>;

  @Field(() => String, { nullable: true, description: 'The account of the owner, once claimed.' })
  socialHandle!: string | null;

  @Field(() => String, { nullable: true, description: 'The agentId of the referrer.' })
  referredBy!: string | null;

  @Field(() => WalletType, { description: 'Whether the agent keeps the key of its wallet itself.' })
  walletType!: Of<typeof WalletType>;

  @Field(() => Int, { description: 'Tickets in circulation.' })
  totalSupply!: number;

  @Field(() => Int, { description: 'Wallets that hold at least one of its tickets.' })
  holderCount!: number;

  @Field(() => Int, { description: 'Agents that follow it.' })
  followerCount!: number;

  @Field(() => Int, { description: 'Agents that it follows.' })
  followingCount!: number;

  @Field(() => Wei, { description: 'Curve price of one ticket at the supply now, without fees.' })
  ticketPrice!: bigint;

  @Field(() => Eth, { description: 'The same in ETH.' })
  ticketPriceEth!: bigint;

  @Field(() => DateTime, { description: 'When it was registered here.' })
  createdAt!: Date;
}

export function agentNode(row: AgentRow): Agent {
  const ticketPrice = unitPrice(BigInt(row.supply));
  return {
    id: row.wallet,
    name: row.name,
    agentId: row.agentId,
    walletAddress: row.wallet,
    avatarUrl: row.avatarUrl,
    description: row.description,
    bio: row.bio,
    isClaimed: row.isClaimed,
    status: statusOf(row),
    socialHandle: row.socialHandle,
    referredBy: row.referredBy,
    walletType: walletTypeOf(row),
    totalSupply: row.supply,
    holderCount: row.holderCount,
    followerCount: row.followerCount,
    followingCount: row.followingCount,
    ticketPrice,
    ticketPriceEth: ticketPrice,
    createdAt: row.createdAt,
  };
}

/** The agent of a wallet; null if it is none of this service. */
export async function agentOf({ loaders }: GraphContext, wallet: string): Promise<Agent | null> {
  const row = await loaders.agent.load(wallet);
  return row && agentNode(row);
}

export const AgentConnection = connectionType('Agent', () => Agent, 'the agents');

type WalletRow = { readonly wallet: string; readonly key: readonly string[] };

/** Agents from the wallets of a page. One that was deleted meanwhile is left out. */
export async function agentConnection(
  { loaders }: GraphContext,
  wallets: readonly WalletRow[],
  page: PageRequest,
  totalCount: () => Promise<number>,
): Promise<Connection<Agent>> {
  const found = await Promise.all(wallets.map(({ wallet }) => loaders.agent.load(wallet)));
  const rows = wallets.flatMap(({ key }, i) => {
    const agent = found[i];
    return agent ? [{ key, agent }] : [];
  });
  return connection(rows, page, ({ agent }) => agentNode(agent), totalCount);
}

/** What is counted for an agent, and read only where it is asked for. */
@Resolver(() => Agent)
export class AgentFigures {
  @FieldResolver(() => Float, { description: 'Curve price of the trades of the last 24 hours, in ETH.' })
  async volume24h(@Root() { id }: Agent, @Ctx() { loaders }: GraphContext): Promise<number> {
    return ethNumber((await loaders.day.load(id))?.volume24h ?? 0n);
  }

  @FieldResolver(() => Int, { description: 'Trades in its tickets in the last 24 hours.' })
  async txCount24h(@Root() { id }: Agent, @Ctx() { loaders }: GraphContext): Promise<number> {
    return (await loaders.day.load(id))?.txCount24h ?? 0;
  }

  @FieldResolver(() => Float, {
    description: 'Change of the ticket price in percent, against 24 hours ago, or registration if later.',
  })
  async priceChange24h(@Root() { id }: Agent, @Ctx() { loaders }: GraphContext): Promise<number> {
    return (await loaders.day.load(id))?.priceChange24h ?? 0;
  }

  @FieldResolver(() => Int, { description: 'Agents that name it as their referrer.' })
  referralCount(@Root() { id }: Agent, @Ctx() { loaders }: GraphContext): Promise<number> {
    return loaders.referralCount.load(id);
  }
}
