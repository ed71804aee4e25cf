import { Arg, Args, ArgsType, Ctx, Field, Info, Int, Query, Resolver } from 'type-graphql';
import {
  ALL_TRADE_PARTS,
  type PartialTrade,
  trades as readTrades,
  type TradeChoice,
  type TradeRow,
  tradeByKey,
  tradeTotal,
} from '../../../core/trading/queries/trades.js';
import { partsOf } from '../../resources/field.js';
import { trade } from '../../resources/trade.js';
import type { GraphContext } from '../engine/context.js';
import { agentField, agentPartsBelow } from './agent.js';
import { type Connection, connection, connectionType, PageArgs, pageIn } from './connection.js';
import { type Of, TradeType } from './enums.js';
import type { Node } from './generate.js';
import { withoutNulls } from './given.js';
import { askedOfNodes, lookAhead, type Info as ResolveInfo } from './lookahead.js';
import { types } from './objects.js';
import { Address, Hash } from './scalars.js';

const partsOfFields = partsOf(trade.fields);

/** The columns of the nodes of a connection of trades, and of the agents that are asked for with them. */
export const tradeChoice = lookAhead((info): TradeChoice => {
  const wanted = partsOfFields(askedOfNodes(info));
  return {
    parts: ALL_TRADE_PARTS.filter((part) => wanted.has(part)),
    agent: agentPartsBelow(info, 'agent'),
    trader: agentPartsBelow(info, 'trader'),
  };
});

/** A trade, with the agents that were read with it. The row has the columns that the query asks for. */
type NodeRow = TradeRow & Pick<PartialTrade, 'agentRow' | 'traderRow'>;
export type TradeNode = Node<NodeRow>;
export const tradeNode = (row: PartialTrade): TradeNode => new types.Trade(row as TradeRow);

export const TradeConnection = connectionType('Trade', () => types.Trade, 'the trades');

@ArgsType()
class TradeArgs extends PageArgs {
  @Field(() => Address, { nullable: true, description: 'Only in the tickets of this agent.' })
  agent?: string | null;
  @Field(() => Address, { nullable: true, description: 'Only of this trader.' })
  trader?: string | null;
  @Field(() => TradeType, { nullable: true, description: 'Only of this kind.' })
  type?: Of<typeof TradeType> | null;
}

export const TradeAgent = agentField<NodeRow>(types.Trade, ({ agent }) => agent, {
  description: 'In whose tickets; null if it is not of this service.',
  read: ({ agentRow }) => agentRow,
});
export const TradeTrader = agentField<NodeRow>(types.Trade, ({ trader }) => trader, {
  name: 'trader',
  description: 'Who traded; null if it is no agent of this service.',
  read: ({ traderRow }) => traderRow,
});

@Resolver()
export class TradeQueries {
  @Query(() => TradeConnection, { description: 'All trades that match, the newest first.' })
  async trades(
    @Args(() => TradeArgs) { first, after, ...given }: TradeArgs,
    @Ctx() context: GraphContext,
    @Info() info: ResolveInfo,
  ): Promise<Connection<TradeNode>> {
    const page = pageIn(context, info, { first, after });
    const filter = withoutNulls(given);
    const rows = await readTrades(context.deps, filter, { page, choice: tradeChoice(context, info) });
    return connection(rows, page, tradeNode, () => tradeTotal(context.deps, filter));
  }

  @Query(() => types.Trade, { nullable: true, description: 'A recorded trade; null if there is none like it.' })
  async trade(
    @Arg('txHash', () => Hash, { description: 'The transaction.' }) txHash: string,
    @Arg('ordinal', () => Int, {
      defaultValue: 0,
      description: "Its position among the contract's logs of the transaction, from 0: most have one.",
    })
    ordinal: number,
    @Ctx() { deps }: GraphContext,
  ): Promise<TradeNode | null> {
    const view = await tradeByKey(deps, txHash, ordinal);
    return view && tradeNode(view);
  }
}
