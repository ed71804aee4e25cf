import { Arg, Args, Ctx, Info, Int, Query, Resolver } from 'type-graphql';
import { z } from 'zod';
import type { GraphContext, LoaderSource } from '../../server/graphql/context.js';
import { mutationOf } from '../../server/graphql/mutations.js';
import {
  type Connection,
  connection,
  connectionType,
  loaders,
  type PageArgs,
  type PageRequest,
  pageFields,
  pageIn,
  rowsByArguments,
  valueByArguments,
} from '../../server/graphql/types/connection.js';
import { argumentsOf, inputObject, readArguments } from '../../server/graphql/types/inputs.js';
import { type NodeReader, nodesOf } from '../../server/graphql/types/nodes.js';
import { columnsOf, objectType, type ResolveInfo, registerEnum } from '../../server/graphql/types/object-types.js';
import { Hash } from '../../server/graphql/types/scalars.js';
import { agentReference, oneOfEnum, pageSize, walletAddress } from '../../server/inputs.js';
import { fieldsOf, graphqlObject, type Node, resource } from '../../server/resources/field.js';
import { nullable } from '../../server/resources/types.js';
import { agentColumnsInside, agentField, ofAgent } from '../agents/graphql.js';
import { walletOf } from '../agents/lookup.js';
import { thesisEligibility } from '../theses/resource.js';
import { AgentPnl, WalletResolver } from './holdings-graphql.js';
import { recordBuy, recordSell, tradeList, tradeRange } from './operations.js';
import type { StoredTrade } from './record.js';
import { position, trade, tradeSide, tradeType } from './resource.js';
import {
  readTrades,
  type TradeRange,
  type TradeSide,
  type TradeWithAgents,
  tradeByKey,
  tradesByIds,
  tradesOf,
  tradeTotal,
  tradeTotals,
  type Wanted,
} from './trades.js';

registerEnum(tradeType);

registerEnum(tradeSide);

registerEnum(thesisEligibility);

export const TradeObject = objectType(trade);

// Registers the GraphQL type of the field `position`. Nothing else needs the returned class.
objectType(position);

const recorded = fieldsOf<StoredTrade>();

export const recordedTrade = resource(
  'RecordedTrade',
  'Trade that recordBuy or recordSell has recorded, with the position of the trader.',
  {
    trade: recorded.column('trade', graphqlObject(trade), 'The recorded trade.'),
    position: recorded.computed(
      ['position', 'trade'],
      nullable(graphqlObject(position)),
      'Tickets that the trader now holds in the agent. Null if the indexer has not reached the trade yet.',
      ({ position: held, trade: { trader: holder, agent: of } }) => held && { ...held, holder, agent: of },
    ),
  },
);

const RecordedTrade = objectType(recordedTrade);

type OfSide = { readonly side: TradeSide; readonly range: TradeRange };
const tradeLoaders = ({ deps }: LoaderSource) => ({
  trades: rowsByArguments((wallets, { side, range, names, agents, ...page }: PageRequest & Wanted & OfSide) =>
    tradesOf(deps, wallets, { side, range, page, names, agents }),
  ),
  tradeCount: valueByArguments((wallets, { side, range }: OfSide) => tradeTotals(deps, wallets, side, range), 0),
});

const tradeColumns = columnsOf(trade.fields, { agent: ['agent'], trader: ['trader'] });
const agentInside = agentColumnsInside('agent');
const traderInside = agentColumnsInside('trader');
/** The columns that a query needs: those of the trades in a connection, and those of their agents. */
export const wantedOf = (info: ResolveInfo): Wanted => ({
  names: tradeColumns(info),
  agents: { agent: agentInside(info), trader: traderInside(info) },
});

/** A trade in an answer. Its row has only the columns that the query needs. */
type TradeNode = Node<TradeWithAgents>;

export const tradeNode = (row: TradeWithAgents): TradeNode => new TradeObject(row);

export const TradeConnection = connectionType('Trade', () => TradeObject, 'trades');

const tradeReader: NodeReader = {
  what: 'a trade',
  form: /^Trade:([\w-]{22})$/,
  read: async ({ deps }, ids) => nodesOf(await tradesByIds(deps, ids), tradeNode),
};

const tradeFilter = z.object({
  agent: agentReference().optional().describe('Only trades in the tickets of this agent.'),
  trader: walletAddress().optional().describe('Only trades by this wallet address.'),
  type: oneOfEnum(tradeType).optional().describe('Only trades of this type.'),
  ...tradeRange(),
});
const TradeArgs = argumentsOf<PageArgs>(pageFields(pageSize).extend(tradeFilter.shape));

agentField<TradeWithAgents>(TradeObject, ({ agent }) => agent, {
  read: ({ agentRow }) => agentRow,
  description: 'Agent whose tickets were traded. Null if it is not an agent of this service.',
});

agentField<TradeWithAgents>(TradeObject, ({ trader }) => trader, {
  read: ({ traderRow }) => traderRow,
  name: 'trader',
  description: 'Agent that traded. Null if the wallet is not an agent of this service.',
});

const rangeFields = z.object(tradeRange());
const AgentTradeArgs = argumentsOf<PageArgs & { readonly side: TradeSide }>(
  pageFields(pageSize)
    .extend(tradeList.input.pick({ side: true }).shape)
    .extend(rangeFields.shape),
);

ofAgent(
  'trades',
  {
    type: () => TradeConnection,
    args: AgentTradeArgs,
    description: 'Trades that the agent made, or trades in its tickets, newest first.',
  },
  async ({ wallet }, { first, after, side, ...given }, context, info) => {
    const { trades, tradeCount } = loaders(context, tradeLoaders);
    const page = pageIn(info, { first, after });
    // Most queries give none, and every agent of a list comes here.
    const isGiven = Object.values(given).some((value) => value !== undefined);
    const range = isGiven ? readArguments(rangeFields, given, 'INVALID_QUERY') : {};
    const rows = await trades.load(wallet, { ...page, side, range, ...wantedOf(info) });
    return connection(rows, page, tradeNode, () => tradeCount.load(wallet, { side, range }));
  },
);

const TradeInput = inputObject('TradeInput', 'Trade of the authenticated agent that is on the chain.', recordBuy.input);

@Resolver()
class TradeResolver {
  @Query(() => TradeConnection, { nullable: true, description: 'Trades that match all filters, newest first.' })
  async trades(
    @Args(() => TradeArgs) { first, after, ...given }: PageArgs,
    @Ctx() context: GraphContext,
    @Info() info: ResolveInfo,
  ): Promise<Connection<TradeNode>> {
    const page = pageIn(info, { first, after });
    const { agent, ...asked } = readArguments(tradeFilter, given, 'INVALID_QUERY');
    const filter = { ...asked, agent: agent && (await walletOf(context.deps, agent)) };
    const rows = await readTrades(context.deps, filter, { page, ...wantedOf(info) });
    return connection(rows, page, tradeNode, () => tradeTotal(context.deps, filter));
  }

  @Query(() => TradeObject, {
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

export const resolvers = [
  TradeResolver,
  AgentPnl,
  WalletResolver,
  mutationOf(recordBuy, {
    name: 'recordBuy',
    type: () => RecordedTrade,
    description: 'Records a purchase of the authenticated agent that is on the chain, without waiting for the indexer.',
    input: TradeInput,
    answer: (_context, recorded) => new RecordedTrade(recorded),
  }),
  mutationOf(recordSell, {
    name: 'recordSell',
    type: () => RecordedTrade,
    description: 'Records a sale of the authenticated agent that is on the chain, without waiting for the indexer.',
    input: TradeInput,
    answer: (_context, recorded) => new RecordedTrade(recorded),
  }),
];

export const readers = [tradeReader];
