import type { FeeSplit } from '../../../src/values/curve.js';
import type { Wei } from '../../../src/values/money.js';
import { payoutOf } from '../contract/fees.js';
import type { Connection } from '../graphql/connection.js';
import { graphql, type ResultOf } from '../graphql/document.js';
import { agentName } from '../ui/agent/agent-link.js';
import { type Holding, ledgerOf, readTrades } from '../ui/wallet/trades.js';

/** The present figures of the agents that the user watches, or for which the user has set alerts. */
export const watchedAgentsQuery = graphql(
  `
  query WatchedAgents($wallets: [ID!]!) {
    marketStats { ethUsd }
    nodes(ids: $wallets) {
      ... on Agent { ...agentName ticketPrice totalSupply priceChange24h }
    }
  }
`,
  [agentName],
);
type Figures = ResultOf<typeof watchedAgentsQuery>;
export type WatchedAgent = Extract<NonNullable<Figures['nodes'][number]>, { readonly agentId: string }>;

/** The agents of an answer, by address. A wallet that is no agent of this service is left out. */
export const agentsIn = ({ nodes }: Figures): ReadonlyMap<string, WatchedAgent> =>
  new Map(nodes.flatMap((node) => (node && 'agentId' in node ? [[node.id, node] as const] : [])));

/** The tickets of one agent in a wallet. `value` is what selling them now would pay. */
export type ValuedHolding = Holding & { readonly value: Wei };

/**
 * Reads the tickets of the agent in the wallet. undefined if the wallet has none. The supply, from which the value follows, comes
 * with the newest trades in one answer, so that both belong to the same moment.
 */
export async function readHolding(
  query: Connection['query'],
  { wallet, agent, split }: { readonly wallet: string; readonly agent: string; readonly split: FeeSplit },
): Promise<ValuedHolding | undefined> {
  const { trades, supply } = await readTrades({ query, wallet, agent });
  // An agent got the first ticket of its market for free, without a trade.
  const [holding] = ledgerOf(trades, wallet === agent ? wallet : undefined).holdings;
  return holding && supply !== undefined ? { ...holding, value: payoutOf(supply, holding.tickets, split) } : undefined;
}
