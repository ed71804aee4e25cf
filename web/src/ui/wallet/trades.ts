import type { Wei } from '../../../../src/values/money.js';
import type { Connection } from '../../graphql/connection.js';
import { graphql, type ResultOf } from '../../graphql/document.js';
import { problemFrom } from '../../graphql/problem.js';

/**
 * Reads one page of the trades of a wallet, newest first, in all agents or in one. The positions of the wallet are computed from
 * its trades. Trades that are newer than those of the first page are among the live events after `liveSequence`.
 */
const walletTradesQuery = graphql(`
  query WalletTrades($wallet: Address!, $agent: AgentRef, $agents: [ID!]!, $after: String) {
    liveSequence
    nodes(ids: $agents) {
      ... on Agent { totalSupply }
    }
    marketStats { ethUsd }
    trades(trader: $wallet, agent: $agent, first: 100, after: $after) {
      pageInfo { endCursor hasNextPage }
      nodes {
        id
        amount
        total
        realizedPnlWei
        createdAt
        agentAddress
      }
    }
  }
`);
type Page = ResultOf<typeof walletTradesQuery>;
export type WalletTrade = Page['trades']['nodes'][number];

type Reading = {
  readonly query: Connection['query'];
  readonly wallet: string;
  /** Wallet of an agent. If set, only trades in the tickets of this agent are read. */
  readonly agent?: string;
  readonly signal?: AbortSignal;
  /** Called with the number of trades read so far, while more follow. */
  readonly progress?: (trades: number) => void;
};

/** All trades of the wallet, newest first. */
export type WalletTrades = {
  readonly trades: readonly WalletTrade[];
  /** Supply of the agent to which the reading was limited, read together with the newest trades. undefined for all agents. */
  readonly supply: number | undefined;
  /** Position in the live events. The events after it contain every newer trade that is not in `trades`. */
  readonly position: Page['liveSequence'];
};

/** Reads all trades of the wallet, because its positions can be computed only from all of them. */
export async function readTrades(reading: Reading): Promise<WalletTrades> {
  const trades = new Map<string, WalletTrade>();
  let first: Page | undefined;
  for (let after: string | null = null; ; ) {
    const page: Page = await readPage(reading, after);
    first ??= page;
    for (const trade of page.trades.nodes) trades.set(trade.id, trade);
    const { hasNextPage, endCursor } = page.trades.pageInfo;
    if (!hasNextPage) return { trades: [...trades.values()], supply: supplyIn(first), position: first.liveSequence };
    after = endCursor;
    reading.progress?.(trades.size);
  }
}

const supplyIn = ({ nodes: [agent] }: Page): number | undefined =>
  agent && 'totalSupply' in agent ? agent.totalSupply : undefined;

/**
 * Reads a page of 100 trades. The pages of a wallet with thousands of trades reach the rate limit. Every page but the first then
 * waits until the limit allows it.
 */
async function readPage({ query, wallet, agent, signal }: Reading, after: string | null): Promise<Page> {
  for (let failures = 0; ; failures++) {
    try {
      const agents = agent === undefined ? [] : [agent];
      return await query(walletTradesQuery, { wallet, agent: agent ?? null, agents, after }, signal);
    } catch (error) {
      const { retryAt } = problemFrom(error, failures);
      if (after === null || retryAt === undefined) throw error;
      await new Promise((resolve) => setTimeout(resolve, retryAt - Date.now()));
      signal?.throwIfAborted();
    }
  }
}

/** The tickets of one agent that a wallet holds. */
export type Holding = {
  readonly address: string;
  readonly tickets: number;
  /** FIFO cost of the tickets, fees included. */
  readonly cost: Wei;
};

/** What a wallet holds after all of its trades, and the sum of the profits of its sales. */
type Ledger = { readonly holdings: readonly Holding[]; readonly realized: Wei };

/** Whether a trade is a sale, because only a sale has a profit. */
export const isSaleOf = ({ realizedPnlWei }: WalletTrade): boolean => realizedPnlWei !== null;

/**
 * Computes the positions from all trades of a wallet. A sale states its proceeds and its profit, so the cost of the
 * tickets sold is the proceeds less the profit. `own` is the wallet of an agent, which got the first ticket of its own
 * market for free.
 */
export function ledgerOf(trades: Iterable<WalletTrade>, own: string | undefined): Ledger {
  const holdings = new Map<string, Holding>();
  const add = (address: string, tickets: number, cost: Wei) => {
    const before = holdings.get(address) ?? { address, tickets: 0, cost: 0n };
    holdings.set(address, { address, tickets: before.tickets + tickets, cost: before.cost + cost });
  };
  if (own) add(own.toLowerCase(), 1, 0n);
  let realized = 0n;
  for (const trade of trades) {
    const { amount, total, realizedPnlWei, agentAddress } = trade;
    const isSale = isSaleOf(trade);
    const profit = BigInt(realizedPnlWei ?? '0');
    add(agentAddress.toLowerCase(), isSale ? -amount : amount, isSale ? profit - BigInt(total) : BigInt(total));
    realized += profit;
  }
  return { holdings: [...holdings.values()].filter(({ tickets }) => tickets > 0), realized };
}
