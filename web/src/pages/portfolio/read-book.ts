import { splitOf } from '../../contract/fees.js';
import type { Connection } from '../../graphql/connection.js';
import { problemFrom } from '../../graphql/problem.js';
import type { Book } from './positions.js';
import { agentsQuery, type MarketAgent, type WalletTrade, walletTradesQuery } from './queries.js';

type Reading = {
  readonly connection: Connection;
  readonly wallet: string;
  readonly signal: AbortSignal;
  /** Called with the number of trades read so far. */
  readonly progress: (trades: number) => void;
};

export type ReadBook = {
  readonly book: Book;
  /** Position of the live events that have every trade which the book lacks. */
  readonly position: string;
};

/** Reads all trades of the wallet, since its positions follow from all of them. */
export async function readBook({ connection, wallet, signal, progress }: Reading): Promise<ReadBook> {
  const trades = new Map<string, WalletTrade>();
  let position: string | undefined;
  for (let after: string | null = null; ; ) {
    const answer: Awaited<ReturnType<typeof readPage>> = await readPage({ connection, wallet, signal }, after);
    position ??= answer.liveSequence;
    for (const trade of answer.trades.nodes) trades.set(trade.id, trade);
    const { hasNextPage, endCursor } = answer.trades.pageInfo;
    if (!hasNextPage) {
      const traded = [...trades.values()].map(({ agentAddress }) => agentAddress);
      const agents = await readAgents(connection, [wallet, ...traded], signal);
      return { book: { wallet, trades, agents, split: splitOf(answer.contract) }, position };
    }
    after = endCursor;
    progress(trades.size);
  }
}

/** A page of 100 trades. A wallet with thousands of them reaches the rate limit: a page after the first then waits for it. */
async function readPage({ connection, wallet, signal }: Omit<Reading, 'progress'>, after: string | null) {
  for (let failures = 0; ; failures++) {
    try {
      return await connection.query(walletTradesQuery, { wallet, after }, signal);
    } catch (error) {
      const { retryAt } = problemFrom(error, failures);
      if (after === null || retryAt === undefined) throw error;
      await new Promise((resolve) => setTimeout(resolve, retryAt - Date.now()));
      signal.throwIfAborted();
    }
  }
}

/** Number of wallets that one request may name. */
const MOST = 100;

/** Reads the agents of these wallets, by address. A wallet that is no agent of this service is left out. */
export async function readAgents(
  connection: Connection,
  wallets: readonly string[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, MarketAgent>> {
  const all = [...new Set(wallets)];
  const parts = Array.from({ length: Math.ceil(all.length / MOST) }, (_, i) => all.slice(i * MOST, (i + 1) * MOST));
  const answers = await Promise.all(parts.map((part) => connection.query(agentsQuery, { wallets: part }, signal)));
  return new Map(
    answers.flatMap(({ nodes }) =>
      nodes.flatMap((node) => (node && 'agentId' in node ? [[node.id, node] as const] : [])),
    ),
  );
}
