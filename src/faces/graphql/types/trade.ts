import {
  Arg,
  Args,
  Ctx,
  Field,
  FieldResolver,
  Float,
  ID,
  Info,
  Int,
  ObjectType,
  Query,
  Resolver,
  Root,
} from 'type-graphql';
import type { PartialAgent } from '../../../core/agents/queries/agent-row.js';
import {
  ALL_TRADE_PARTS,
  type PartialTrade,
  trades as readTrades,
  type TradeChoice,
  type TradePart,
  type TradeRow,
  tradeByKey,
  tradeTotal,
} from '../../../core/trading/queries/trades.js';
import { ethNumber } from '../../../money.js';
import { pricePerUnit, totalOf } from '../../resources/trade-shape.js';
import type { GraphContext } from '../engine/context.js';
import { Agent, agentNode, agentOf, agentPartsBelow } from './agent.js';
import { type Connection, connection, connectionType, PageArgs, pageIn } from './connection.js';
import { type Of, TradeType } from './enums.js';
import { askedOfNodes, lookAhead, type Info as ResolveInfo } from './lookahead.js';
import { Address, DateTime, Hash, Wei } from './scalars.js';

@ObjectType('Trade', { description: 'One purchase or sale of tickets, as the chain has it.', simpleResolvers: true })
export class Trade {
  @Field(() => ID, { description: 'The id of its event in the feed.' })
  id!: string;

  @Field(() => TradeType, { description: 'What it was, and whether an agent made it.' })
  type!: Of<typeof TradeType>;

  @Field(() => Int, { description: 'Tickets.' })
  amount!: number;

  @Field(() => Wei, { description: 'Curve price of the whole trade, without fees.' })
  price!: bigint;

  @Field(() => Wei, { description: "The protocol's fee." })
  protocolFee!: bigint;

  @Field(() => Wei, { description: "The agent's fee." })
  agentFee!: bigint;

  @Field(() => Wei, { description: 'What was paid, fees included, or received, fees deducted.' })
  total!: bigint;

  @Field(() => Float, { description: 'price / amount, in ETH.' })
  pricePerUnit!: number;

  @Field(() => Float, { nullable: true, description: 'Of a sale: FIFO cost of the tickets sold, in ETH.' })
  costBasis!: number | null;

  @Field(() => Float, { nullable: true, description: 'Of a sale: what was earned on them, in ETH.' })
  realizedPnl!: number | null;

  @Field(() => String, { nullable: true, description: 'The same in wei, which may be negative.' })
  realizedPnlWei!: string | null;

  @Field(() => String, { nullable: true, description: 'Why, as the trader said.' })
  thesis!: string | null;

  @Field(() => Address, { description: 'In whose tickets.' })
  agentAddress!: string;

  @Field(() => Address, { description: 'Who bought or sold.' })
  traderAddress!: string;

  @Field(() => Hash, { description: 'The transaction.' })
  txHash!: string;

  @Field(() => Int, { description: 'The block.' })
  blockNumber!: number;

  @Field(() => DateTime, { description: "The block's time." })
  createdAt!: Date;

  agentRow?: PartialAgent | null | undefined;
  traderRow?: PartialAgent | null | undefined;
}

/** What each field of a trade is made of; the agents that it is about come beside it. */
const madeOf: Readonly<Record<string, readonly TradePart[]>> = {
  id: ['id'],
  type: ['type'],
  amount: ['amount'],
  price: ['price'],
  protocolFee: ['protocolFee'],
  agentFee: ['agentFee'],
  total: ['sale', 'price', 'protocolFee', 'agentFee'],
  pricePerUnit: ['price', 'amount'],
  costBasis: ['costBasis'],
  realizedPnl: ['realizedPnl'],
  realizedPnlWei: ['realizedPnl'],
  thesis: ['thesis'],
  agentAddress: ['agent'],
  traderAddress: ['trader'],
  txHash: ['txHash'],
  blockNumber: ['blockNumber'],
  createdAt: ['time'],
};

/** The columns of the nodes of a connection of trades, and of the agents that are asked for with them. */
export const tradeChoice = lookAhead((info): TradeChoice => {
  const wanted = new Set([...askedOfNodes(info)].flatMap((field) => madeOf[field] ?? []));
  return {
    parts: ALL_TRADE_PARTS.filter((part) => wanted.has(part)),
    agent: agentPartsBelow(info, 'agent'),
    trader: agentPartsBelow(info, 'trader'),
  };
});

/** Makes each field when it is asked for; the row has what that needs. */
class TradeNode implements Trade {
  constructor(private readonly row: TradeRow & Pick<PartialTrade, 'agentRow' | 'traderRow'>) {}
  get id() {
    return this.row.id;
  }
  get type() {
    return this.row.type;
  }
  get amount() {
    return this.row.amount;
  }
  get price() {
    return this.row.price;
  }
  get protocolFee() {
    return this.row.protocolFee;
  }
  get agentFee() {
    return this.row.agentFee;
  }
  get total() {
    return totalOf(this.row);
  }
  get pricePerUnit() {
    return pricePerUnit(this.row);
  }
  get costBasis() {
    return this.row.costBasis === null ? null : ethNumber(this.row.costBasis);
  }
  get realizedPnl() {
    return this.row.realizedPnl === null ? null : ethNumber(this.row.realizedPnl);
  }
  get realizedPnlWei() {
    return this.row.realizedPnl === null ? null : String(this.row.realizedPnl);
  }
  get thesis() {
    return this.row.thesis;
  }
  get agentAddress() {
    return this.row.agent;
  }
  get traderAddress() {
    return this.row.trader;
  }
  get txHash() {
    return this.row.txHash;
  }
  get blockNumber() {
    return this.row.blockNumber;
  }
  get createdAt() {
    return this.row.time;
  }
  /** Undefined where they were not read with the trade. */
  get agentRow() {
    return this.row.agentRow;
  }
  get traderRow() {
    return this.row.traderRow;
  }
}

/** The look-ahead has read the parts of every field that the query asks for. */
export const tradeNode = (row: PartialTrade): TradeNode => new TradeNode(row as TradeRow);

export const TradeConnection = connectionType('Trade', () => Trade, 'the trades');

@Resolver(() => Trade)
export class TradeResolver {
  @FieldResolver(() => Agent, { nullable: true, description: 'In whose tickets; null if it is not of this service.' })
  agent(
    @Root() trade: Trade,
    @Ctx() context: GraphContext,
    @Info() info: ResolveInfo,
  ): Agent | null | Promise<Agent | null> {
    const { agentRow } = trade;
    return agentRow === undefined ? agentOf(context, trade.agentAddress, info) : agentRow && agentNode(agentRow);
  }

  @FieldResolver(() => Agent, { nullable: true, description: 'Who traded; null if it is no agent of this service.' })
  trader(
    @Root() trade: Trade,
    @Ctx() context: GraphContext,
    @Info() info: ResolveInfo,
  ): Agent | null | Promise<Agent | null> {
    const { traderRow } = trade;
    return traderRow === undefined ? agentOf(context, trade.traderAddress, info) : traderRow && agentNode(traderRow);
  }

  @Query(() => TradeConnection, { description: 'All trades that match, the newest first.' })
  async trades(
    @Args(() => PageArgs) args: PageArgs,
    @Arg('agent', () => Address, { nullable: true, description: 'Only in the tickets of this agent.' })
    agent: string | undefined,
    @Arg('trader', () => Address, { nullable: true, description: 'Only of this trader.' }) trader: string | undefined,
    @Arg('type', () => TradeType, { nullable: true, description: 'Only of this kind.' })
    type: Of<typeof TradeType> | undefined,
    @Ctx() { deps }: GraphContext,
    @Info() info: ResolveInfo,
  ): Promise<Connection<Trade>> {
    const page = pageIn(info, args);
    const filter = { agent: agent ?? undefined, trader: trader ?? undefined, type: type ?? undefined };
    const rows = await readTrades(deps, filter, { page, choice: tradeChoice(info) });
    return connection(rows, page, tradeNode, () => tradeTotal(deps, filter));
  }

  @Query(() => Trade, { nullable: true, description: 'A recorded trade; null if there is none like it.' })
  async trade(
    @Arg('txHash', () => Hash, { description: 'The transaction.' }) txHash: string,
    @Arg('ordinal', () => Int, {
      defaultValue: 0,
      description: "Its position among the contract's logs of the transaction, from 0: most have one.",
    })
    ordinal: number,
    @Ctx() { deps }: GraphContext,
  ): Promise<Trade | null> {
    const view = await tradeByKey(deps, txHash, ordinal);
    return view && tradeNode(view);
  }
}
