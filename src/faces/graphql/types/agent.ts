import { Ctx, Field, FieldResolver, Float, ID, Int, ObjectType, Resolver, Root } from 'type-graphql';
import {
  type AgentPart,
  type AgentRow,
  ALL_AGENT_PARTS,
  type PartialAgent,
} from '../../../core/agents/queries/agent-row.js';
import { statusOf } from '../../../core/agents/queries/lookup.js';
import { unitPrice } from '../../../core/pricing/rules.js';
import { priceChange } from '../../../core/trading/trend.js';
import { ethNumber } from '../../../money.js';
import { walletTypeOf } from '../../resources/shapes.js';
import type { GraphContext } from '../engine/context.js';
import { connectionType } from './connection.js';
import { ClaimStatus, type Of, WalletType } from './enums.js';
import { asked, askedOfNodes, type Info, lookAhead } from './lookahead.js';
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

/** What each field of an agent is made of. What is not here is read by itself, from the wallet. */
const madeOf: Readonly<Record<string, readonly AgentPart[]>> = {
  name: ['name'],
  agentId: ['agentId'],
  avatarUrl: ['avatarUrl'],
  description: ['description'],
  bio: ['bio'],
  isClaimed: ['isClaimed'],
  status: ['isClaimed'],
  socialHandle: ['socialHandle'],
  referredBy: ['referredBy'],
  walletType: ['walletId'],
  totalSupply: ['supply'],
  holderCount: ['holderCount'],
  followerCount: ['followerCount'],
  followingCount: ['followingCount'],
  ticketPrice: ['supply'],
  ticketPriceEth: ['supply'],
  createdAt: ['createdAt'],
  // Their totals.
  holders: ['holderCount'],
  followers: ['followerCount'],
  following: ['followingCount'],
};

const partsOf = (fields: ReadonlySet<string>): readonly AgentPart[] => {
  const wanted = new Set([...fields].flatMap((field) => madeOf[field] ?? []));
  return ALL_AGENT_PARTS.filter((part) => wanted.has(part));
};

/** The columns of the agent that a field gives, or of the nodes of a connection of agents. */
export const agentParts = lookAhead((info) => partsOf(asked(info)));
export const agentNodeParts = lookAhead((info) => partsOf(askedOfNodes(info)));
/** Those of an agent below the nodes of a connection; none if it is not asked for. */
export const agentPartsBelow = (info: Info, field: string): readonly AgentPart[] | undefined =>
  askedOfNodes(info).has(field) ? partsOf(askedOfNodes(info, field)) : undefined;

/** Makes each field when it is asked for; the row has what that needs. */
class AgentNode implements Agent {
  constructor(private readonly row: AgentRow) {}
  get id() {
    return this.row.wallet;
  }
  get walletAddress() {
    return this.row.wallet;
  }
  get name() {
    return this.row.name;
  }
  get agentId() {
    return this.row.agentId;
  }
  get avatarUrl() {
    return this.row.avatarUrl;
  }
  get description() {
    return this.row.description;
  }
  get bio() {
    return this.row.bio;
  }
  get isClaimed() {
    return this.row.isClaimed;
  }
  get status() {
    return statusOf(this.row);
  }
  get socialHandle() {
    return this.row.socialHandle;
  }
  get referredBy() {
    return this.row.referredBy;
  }
  get walletType() {
    return walletTypeOf(this.row);
  }
  get totalSupply() {
    return this.row.supply;
  }
  get holderCount() {
    return this.row.holderCount;
  }
  get followerCount() {
    return this.row.followerCount;
  }
  get followingCount() {
    return this.row.followingCount;
  }
  get ticketPrice() {
    return unitPrice(BigInt(this.row.supply));
  }
  get ticketPriceEth() {
    return this.ticketPrice;
  }
  get createdAt() {
    return this.row.createdAt;
  }
}

/** The look-ahead has read the parts of every field that the query asks for. */
export const agentNode = (row: PartialAgent): Agent => new AgentNode(row as AgentRow);

/** The agent of a wallet; null if it is none of this service. `info`: of the field that gives it; all of it without. */
export async function agentOf({ loaders }: GraphContext, wallet: string, info?: Info): Promise<Agent | null> {
  const row = await loaders.agent(info && agentParts(info)).load(wallet);
  return row && agentNode(row);
}

export const AgentConnection = connectionType('Agent', () => Agent, 'the agents');

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
    const day = await loaders.day.load(id);
    return day ? priceChange(day.supplyBefore, day.supply) : 0;
  }

  @FieldResolver(() => Int, { description: 'Agents that name it as their referrer.' })
  referralCount(@Root() { id }: Agent, @Ctx() { loaders }: GraphContext): Promise<number> {
    return loaders.referralCount.load(id);
  }
}
