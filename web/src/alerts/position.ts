import { feesQuery, payoutOf, splitOf } from '../contract/fees.js';
import type { Connection } from '../graphql/connection.js';
import { graphql, type ResultOf } from '../graphql/document.js';
import { agentName } from '../ui/agent/agent-link.js';
import { ledgerOf, readTrades } from '../ui/wallet/trades.js';
import { profitOf } from './rules.js';

/** What alerts need of agents. null for a wallet that is no agent of this service. */
export const alertFiguresQuery = graphql(
  `
  query AlertFigures($wallets: [ID!]!) {
    marketStats { ethUsd }
    nodes(ids: $wallets) {
      ... on Agent { ...agentName ticketPrice totalSupply priceChange24h }
    }
  }
`,
  [agentName],
);
type Figures = ResultOf<typeof alertFiguresQuery>;
export type WatchedAgent = Extract<NonNullable<Figures['nodes'][number]>, { readonly agentId: string }>;

/** The agents of an answer, by address. */
export const agentsIn = ({ nodes }: Figures): ReadonlyMap<string, WatchedAgent> =>
  new Map(nodes.flatMap((node) => (node && 'agentId' in node ? [[node.id, node] as const] : [])));

/** The profit of the wallet's tickets in the agent, in percent of their cost. undefined if it has none, or they cost nothing. */
export async function readProfit(
  connection: Connection,
  wallet: string,
  { id: agent, totalSupply }: Pick<WatchedAgent, 'id' | 'totalSupply'>,
): Promise<number | undefined> {
  const [{ trades }, { contract }] = await Promise.all([
    readTrades({ connection, wallet, agent }),
    connection.query(feesQuery, {}),
  ]);
  const [holding] = ledgerOf(trades, wallet === agent ? wallet : undefined).holdings;
  return holding && profitOf(holding, payoutOf(totalSupply, holding.tickets, splitOf(contract)));
}
