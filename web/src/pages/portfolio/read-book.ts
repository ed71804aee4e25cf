import { feesQuery, splitOf } from '../../contract/fees.js';
import type { Connection } from '../../graphql/connection.js';
import { readTrades, type WalletTrades } from '../../ui/wallet/trades.js';
import type { Book } from './positions.js';
import { agentsQuery, type MarketAgent } from './queries.js';

export type ReadBook = {
  readonly book: Book;
  /** Position in the live events. The events after it contain every newer trade that is not in the book. */
  readonly position: WalletTrades['position'];
};

/** Reads the data from which the positions of the wallet are computed. Calls `progress` with the number of trades read so far. */
export async function readBook(reading: {
  readonly connection: Connection;
  readonly wallet: string;
  readonly signal: AbortSignal;
  readonly progress: (trades: number) => void;
}): Promise<ReadBook> {
  const { connection, wallet, signal } = reading;
  const [{ trades, position }, { contract }] = await Promise.all([
    readTrades({ ...reading, query: connection.query }),
    connection.query(feesQuery, {}, signal),
  ]);
  const agents = await readAgents(connection, [wallet, ...trades.map(({ agentAddress }) => agentAddress)], signal);
  const book = { wallet, trades: new Map(trades.map((trade) => [trade.id, trade])), agents, split: splitOf(contract) };
  return { book, position };
}

/** Maximum number of wallets that one request may name. */
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
    answers.flatMap(({ nodes }) => nodes.flatMap((node) => (node && 'agentId' in node ? [[node.id, node] as const] : []))),
  );
}
