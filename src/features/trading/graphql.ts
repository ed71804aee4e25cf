import { Arg, Args, ArgsType, Ctx, Field, Info, Int, Query, Resolver } from 'type-graphql';
import type { GraphContext, LoaderSource } from '../../server/graphql/context.js';
import { mutationOf } from '../../server/graphql/mutations.js';
import {
  type Connection,
  connection,
  connectionType,
  loaders,
  PageArgs,
  type PageRequest,
  pageFields,
  pageIn,
  rowsByArguments,
  valueByArguments,
} from '../../server/graphql/types/connection.js';
import { argumentsOf, inputObject } from '../../server/graphql/types/inputs.js';
import { type NodeReader, nodesOf } from '../../server/graphql/types/nodes.js';
import {
  columnsOf,
  nullableField,
  objectType,
  type ResolveInfo,
  registerEnum,
  type ValueOf,
  withoutNulls,
} from '../../server/graphql/types/object-types.js';
import { Address, AgentRef, Hash } from '../../server/graphql/types/scalars.js';
import { pageSize } from '../../server/inputs.js';
import { fieldsOf, graphqlObject, type Node, resource } from '../../server/resources/field.js';
import { nullable } from '../../server/resources/types.js';
import { agentColumnsInside, agentField, ofAgent } from '../agents/graphql.js';
import { thesisEligibility } from '../theses/resource.js';
import { AgentPnl, WalletResolver } from './holdings-graphql.js';
import { recordBuy, recordSell, tradeList } from './operations.js';
import { walletOf } from './prices/graphql.js';
import type { StoredTrade } from './record.js';
import { position, trade, tradeSide, tradeType } from './resource.js';
import {
  readTrades,
  type TradeSide,
  type TradeWithAgents,
  tradeByKey,
  tradesByIds,
  tradesOf,
  tradeTotal,
  tradeTotals,
  type Wanted,
} from './trades.js';

const TradeType = registerEnum(tradeType);

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

const tradeLoaders = ({ deps }: LoaderSource) => ({
  trades: rowsByArguments((wallets, { side, names, agents, ...page }: PageRequest & Wanted & { readonly side: TradeSide }) =>
    tradesOf(deps, wallets, { side, page, names, agents }),
  ),
  tradeCount: valueByArguments((wallets, side: TradeSide) => tradeTotals(deps, wallets, side), 0),
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

@ArgsType()
class TradeArgs extends PageArgs {
  @Field(() => AgentRef, nullableField('Only trades in the tickets of this agent.'))
  agent?: string | null;
  @Field(() => Address, nullableField('Only trades by this wallet address.'))
  trader?: string | null;
  @Field(() => TradeType, nullableField('Only trades of this type.'))
  type?: ValueOf<typeof TradeType> | null;
}

agentField<TradeWithAgents>(TradeObject, ({ agent }) => agent, {
  read: ({ agentRow }) => agentRow,
  description: 'Agent whose tickets were traded. Null if it is not an agent of this service.',
});

agentField<TradeWithAgents>(TradeObject, ({ trader }) => trader, {
  read: ({ traderRow }) => traderRow,
  name: 'trader',
  description: 'Agent that traded. Null if the wallet is not an agent of this service.',
});

const AgentTradeArgs = argumentsOf<PageArgs & { readonly side: TradeSide }>(
  pageFields(pageSize).extend(tradeList.input.pick({ side: true }).shape),
);

ofAgent(
  'trades',
  {
    type: () => TradeConnection,
    args: AgentTradeArgs,
    description: 'Trades that the agent made, or trades in its tickets, newest first.',
  },
  async ({ wallet }, { side, ...args }, context, info) => {
    const { trades, tradeCount } = loaders(context, tradeLoaders);
    const page = pageIn(info, args);
    const rows = await trades.load(wallet, { ...page, side, ...wantedOf(info) });
    return connection(rows, page, tradeNode, () => tradeCount.load(wallet, side));
  },
);

const TradeInput = inputObject('TradeInput', 'Trade of the authenticated agent that is on the chain.', recordBuy.input);

@Resolver()
class TradeResolver {
  @Query(() => TradeConnection, { nullable: true, description: 'Trades that match all filters, newest first.' })
  async trades(
    @Args(() => TradeArgs) { first, after, ...filterArgs }: TradeArgs,
    @Ctx() context: GraphContext,
    @Info() info: ResolveInfo,
  ): Promise<Connection<TradeNode>> {
    const page = pageIn(info, { first, after });
    const given = withoutNulls(filterArgs);
    const filter = { ...given, agent: given.agent && (await walletOf(context, given.agent)) };
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
