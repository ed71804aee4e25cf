import { Arg, Args, Ctx, Field, FieldResolver, Float, ID, Int, ObjectType, Query, Resolver, Root } from 'type-graphql';
import { tradeCount, tradePage } from '../../core/trading/queries/pages.js';
import { type TradeView, tradeByKey } from '../../core/trading/queries/trades.js';
import { formatTrade } from '../tradeshape.js';
import { Agent, agentOf } from './agent.js';
import { type Connection, connection, connectionType, PageArgs, pageOf } from './connection.js';
import type { GraphContext } from './context.js';
import { type Of, TradeType } from './enums.js';
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
  price!: string;

  @Field(() => Wei, { description: "The protocol's fee." })
  protocolFee!: string;

  @Field(() => Wei, { description: "The agent's fee." })
  agentFee!: string;

  @Field(() => Wei, { description: 'What was paid, fees included, or received, fees deducted.' })
  total!: string;

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
  createdAt!: string;
}

export function tradeNode(view: TradeView): Trade {
  const { buyerOrSeller: traderAddress, ...trade } = formatTrade(view);
  return { ...trade, traderAddress };
}

export const TradeConnection = connectionType('Trade', () => Trade, 'the trades');

@Resolver(() => Trade)
export class TradeResolver {
  @FieldResolver(() => Agent, { nullable: true, description: 'In whose tickets; null if it is not of this service.' })
  agent(@Root() trade: Trade, @Ctx() context: GraphContext): Promise<Agent | null> {
    return agentOf(context, trade.agentAddress);
  }

  @FieldResolver(() => Agent, { nullable: true, description: 'Who traded; null if it is no agent of this service.' })
  trader(@Root() trade: Trade, @Ctx() context: GraphContext): Promise<Agent | null> {
    return agentOf(context, trade.traderAddress);
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
  ): Promise<Connection<Trade>> {
    const page = pageOf(args);
    const filter = { agent: agent ?? undefined, trader: trader ?? undefined, type: type ?? undefined };
    return connection(await tradePage(deps, filter, page), page, tradeNode, () => tradeCount(deps, filter));
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
