import DataLoader from 'dataloader';
import { Args, ArgsType, Ctx, Field, FieldResolver, Int, Query, Resolver, Root } from 'type-graphql';
import { AppError } from '../../errors/errors.js';
import { type GraphContext, type LoaderSource, requireActor } from '../../server/graphql/context.js';
import {
  connection,
  connectionType,
  loaders,
  PageArgs,
  pageIn,
  rowsByArguments,
  valueByArguments,
  valueByKey,
} from '../../server/graphql/types/connection.js';
import { argumentsOf } from '../../server/graphql/types/inputs.js';
import { nodeOf, nullableField, objectType, Uncacheable } from '../../server/graphql/types/object-types.js';
import { Address } from '../../server/graphql/types/scalars.js';
import type { Node } from '../../server/resources/field.js';
import { type AgentNode, AgentType, agentField, ofAgent } from '../agents/graphql.js';
import {
  type HolderRow,
  type HoldingRow,
  holdingTotals,
  readHolders,
  readHoldings,
  ticketBalances,
} from '../agents/lists/holdings.js';
import { holder, holding } from '../agents/lists/resource.js';
import { type AgentRecord, findAgent } from '../agents/lookup.js';
import { type PnlSummary, pnlCaches, pnlSummariesOf } from './pnl.js';
import * as pnls from './pnl-resource.js';
import { readWalletBalance } from './wallet.js';
import { ownPnl, walletInfo } from './wallet-operations.js';
import { agentWallet, etherBalance, walletBalance, walletTickets } from './wallet-resource.js';

const Holder = objectType(holder);
const Holding = objectType(holding);
const PnlSummaryType = objectType(pnls.pnlSummary);
export const PnlType = objectType(pnls.pnl);
// Registers the GraphQL types of the parts of `Pnl`. Nothing else needs their classes. The same holds for `walletTickets` below.
for (const part of [pnls.realized, pnls.realizedTrade, pnls.unrealized, pnls.openHolding, pnls.feePnl]) objectType(part);
const AgentWallet = objectType(agentWallet);
export const EtherBalanceType = objectType(etherBalance);
const WalletBalance = objectType(walletBalance);
objectType(walletTickets);

const HolderConnection = connectionType('Holder', () => Holder, 'holders of an agent');
const HoldingConnection = connectionType('Holding', () => Holding, 'holdings of an agent');

const holdingLoaders = ({ deps }: LoaderSource) => {
  const summaries = new DataLoader<string, PnlSummary>((wallets) => pnlSummariesOf(deps, wallets));
  return {
    holders: rowsByArguments((wallets, page) => readHolders(deps, wallets, page)),
    ticketBalance: valueByArguments((wallets, { holder }: { readonly holder: string }) => ticketBalances(deps, wallets, holder), 0),
    holdings: rowsByArguments((wallets, page) => readHoldings(deps, wallets, page)),
    holdingCount: valueByKey((wallets: readonly string[]) => holdingTotals(deps, wallets), 0),
    /** Reads PnL summaries through the cache that REST uses. Summaries that are not cached are read in one batch. */
    pnl: { load: (wallet: string) => pnlCaches.public(deps, wallet, () => summaries.load(wallet)) },
  };
};

agentField<HolderRow>(Holder, ({ holder }) => holder, {
  description: 'Agent that holds the tickets. Null if the wallet is not an agent of this service.',
});
agentField<HoldingRow>(Holding, ({ agent }) => agent, {
  description: 'Agent whose tickets are held. Null if it is not an agent of this service.',
});

@ArgsType()
class TicketBalanceArgs {
  @Field(() => Address, { description: 'Wallet address of the holder.' })
  holderAddress!: string;
}

ofAgent(
  'holders',
  {
    type: () => HolderConnection,
    args: PageArgs,
    description: 'Wallets that hold tickets of the agent, largest holding first.',
  },
  async ({ wallet, holderCount }, args, context, info) => {
    const page = pageIn(info, args);
    const rows = await loaders(context, holdingLoaders).holders.load(wallet, page);
    return connection(rows, page, nodeOf(Holder), () => holderCount);
  },
);

ofAgent(
  'ticketBalance',
  {
    type: () => Int,
    args: TicketBalanceArgs,
    description: 'Number of tickets of the agent that a wallet holds. 0 if it holds none.',
  },
  ({ wallet }, { holderAddress: holder }, context) => loaders(context, holdingLoaders).ticketBalance.load(wallet, { holder }),
);

ofAgent(
  'holdings',
  {
    type: () => HoldingConnection,
    args: PageArgs,
    description: 'Tickets that the agent holds in other agents, largest holding first.',
  },
  async ({ wallet }, args, context, info) => {
    const { holdings, holdingCount } = loaders(context, holdingLoaders);
    const page = pageIn(info, args);
    const rows = await holdings.load(wallet, page);
    return connection(rows, page, nodeOf(Holding), () => holdingCount.load(wallet));
  },
);

@Resolver(() => AgentType)
export class AgentPnl {
  @FieldResolver(() => PnlSummaryType, {
    description: 'Profit and loss of the agent as totals. At most 30 seconds old.',
  })
  async pnl(@Root() { row }: AgentNode, @Ctx() context: GraphContext): Promise<Node> {
    const [summary, usd] = await Promise.all([loaders(context, holdingLoaders).pnl.load(row.wallet), context.deps.ethUsd()]);
    return new PnlSummaryType({ ...summary, usd });
  }

  @Uncacheable
  @FieldResolver(() => PnlType, {
    nullable: true,
    description: 'Complete profit and loss. Null with an error unless the API key of this agent was sent.',
  })
  async fullPnl(@Root() { row }: AgentNode, @Ctx() context: GraphContext): Promise<Node> {
    if (requireActor(context).wallet !== row.wallet) throw new AppError('NOT_AUTHORIZED');
    return new PnlType(await ownPnl(context.deps, row.wallet));
  }
}

type Asked = { readonly agentId: string };
const WalletArgs = argumentsOf<Asked>(walletInfo.input);

type WalletNode = Node<AgentRecord>;

@Resolver(() => AgentWallet)
export class WalletResolver {
  @FieldResolver(() => WalletBalance, {
    nullable: true,
    description: 'Ether and tickets of the wallet. Null with an error if the chain is unavailable.',
  })
  async balance(@Root() { row }: WalletNode, @Ctx() { deps }: GraphContext): Promise<Node> {
    return new WalletBalance(await readWalletBalance(deps, row.wallet));
  }

  @Uncacheable
  @Query(() => AgentWallet, nullableField('Wallet of an agent: its type and its balance.'))
  async agentWallet(@Args(() => WalletArgs) { agentId }: Asked, @Ctx() { deps }: GraphContext): Promise<WalletNode> {
    return new AgentWallet(await findAgent(deps, agentId));
  }
}
