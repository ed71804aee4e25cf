import { Arg, Args, ArgsType, Ctx, Field, Info, Int, Query, Resolver } from 'type-graphql';
import { trade } from '../../../features/trading/resource.js';
import {
  ALL_TRADE_PARTS,
  type PartialTrade,
  trades as readTrades,
  type TradeChoice,
  type TradeRow,
  tradeByKey,
  tradeTotal,
} from '../../../features/trading/trades.js';
import { partsOf } from '../../../server/resources/field.js';
import type { GraphContext } from '../engine/context.js';
import { agentField, agentPartsBelow, walletOf } from './agent.js';
import { type Connection, connection, connectionType, PageArgs, pageIn } from './connection.js';
import { type Of, TradeType } from './enums.js';
import type { Node } from './generate.js';
import { nullable, withoutNulls } from './given.js';
import { lookAhead, type Info as ResolveInfo, selectedInNodes } from './lookahead.js';
import { types } from './objects.js';
import { Address, AgentRef, Hash } from './scalars.js';

const partsOfFields = partsOf(trade.fields);

/** Columns that the query selects of the nodes of a connection of trades, and of the agents of these trades. */
export const tradeChoice = lookAhead((info): TradeChoice => {
  const wanted = partsOfFields(selectedInNodes(info));
  return {
    parts: ALL_TRADE_PARTS.filter((part) => wanted.has(part)),
    agent: agentPartsBelow(info, 'agent'),
    trader: agentPartsBelow(info, 'trader'),
  };
});

/** A trade, with the agents that were read together with it. The row has only the columns that the query needs. */
type NodeRow = TradeRow & Pick<PartialTrade, 'agentRow' | 'traderRow'>;
export type TradeNode = Node<NodeRow>;
export const tradeNode = (row: PartialTrade): TradeNode => new types.Trade(row as TradeRow);

export const TradeConnection = connectionType('Trade', () => types.Trade, 'trades');

@ArgsType()
class TradeArgs extends PageArgs {
  @Field(() => AgentRef, nullable('Only trades in the tickets of this agent.'))
  agent?: string | null;
  @Field(() => Address, { nullable: true, description: 'Only trades by this wallet address.' })
  trader?: string | null;
  @Field(() => TradeType, { nullable: true, description: 'Only trades of this type.' })
  type?: Of<typeof TradeType> | null;
}

agentField<NodeRow>(types.Trade, ({ agent }) => agent, {
  description: 'Agent whose tickets were traded. Null if it is not an agent of this service.',
  read: ({ agentRow }) => agentRow,
});
agentField<NodeRow>(types.Trade, ({ trader }) => trader, {
  name: 'trader',
  description: 'Agent that traded. Null if the wallet is not an agent of this service.',
  read: ({ traderRow }) => traderRow,
});

@Resolver()
export class TradeQueries {
  @Query(() => TradeConnection, { nullable: true, description: 'Trades that match all filters, newest first.' })
  async trades(
    @Args(() => TradeArgs) { first, after, ...filterArgs }: TradeArgs,
    @Ctx() context: GraphContext,
    @Info() info: ResolveInfo,
  ): Promise<Connection<TradeNode>> {
    const page = pageIn(context, info, { first, after });
    const given = withoutNulls(filterArgs);
    const filter = { ...given, agent: given.agent && (await walletOf(context, given.agent)) };
    const rows = await readTrades(context.deps, filter, { page, choice: tradeChoice(context, info) });
    return connection(rows, page, tradeNode, () => tradeTotal(context.deps, filter));
  }

  @Query(() => types.Trade, {
    nullable: true,
    description: 'Trade with the given transaction hash and ordinal. Null if the service has no such trade.',
  })
  async trade(
    @Arg('txHash', () => Hash, { description: 'Hash of the transaction.' }) txHash: string,
    @Arg('ordinal', () => Int, {
      defaultValue: 0,
      description:
        'Index of the trade among the logs of the contract in the transaction, from 0. Most transactions have one trade.',
    })
    ordinal: number,
    @Ctx() { deps }: GraphContext,
  ): Promise<TradeNode | null> {
    const view = await tradeByKey(deps, txHash, ordinal);
    return view && tradeNode(view);
  }
}
