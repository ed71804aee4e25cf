import { useCallback, useEffect, useState } from 'preact/hooks';
import { useApp } from '../../app-context.js';
import { splitOf } from '../../contract/fees.js';
import type { Connection } from '../../graphql/connection.js';
import { type Problem, problemFrom, RequestError } from '../../graphql/problem.js';
import { useRetry } from '../../ui/use-retry.js';
import { ledgerOf, type Portfolio, portfolioOf } from './positions.js';
import { type MarketAgent, marketQuery, type WalletTrade, walletTradesQuery } from './queries.js';

type State = {
  readonly data?: Portfolio | undefined;
  readonly problem?: Problem | undefined;
  /** Number of trades read so far, while more follow. */
  readonly reading?: number | undefined;
  /** Number of reads in a row that failed. */
  readonly failures: number;
};

type Reading = {
  readonly connection: Connection;
  readonly wallet: string;
  readonly signal: AbortSignal;
  /** Called with the number of trades read so far. */
  readonly progress: (trades: number) => void;
};

/** Positions of a wallet from public data: it needs no key. */
export function usePortfolio(wallet: string): Omit<State, 'failures'> & { readonly reload: () => void } {
  const { connection } = useApp();
  const [state, setState] = useState<State>({ failures: 0 });
  const [round, setRound] = useState(0);
  const reload = useCallback(() => setRound((before) => before + 1), []);
  useEffect(() => {
    const end = new AbortController();
    const { signal } = end;
    const progress = (reading: number) => setState((before) => ({ ...before, problem: undefined, reading }));
    read({ connection, wallet, signal, progress }).then(
      (data) => setState({ data, failures: 0 }),
      (error: unknown) => {
        if (signal.aborted) return;
        setState(({ data, failures }) => ({ data, problem: problemFrom(error, failures), failures: failures + 1 }));
      },
    );
    return () => end.abort();
  }, [connection, wallet, round]);
  useRetry(state.problem, reload);
  return { ...state, reload };
}

/** Reads all trades of the wallet, since its positions follow from all of them. */
async function read({ connection, wallet, signal, progress }: Reading): Promise<Portfolio> {
  const trades: WalletTrade[] = [];
  for (let after: string | null = null; ; ) {
    const answer: Awaited<ReturnType<typeof readPage>> = await readPage({ connection, wallet, signal }, after);
    trades.push(...answer.trades.nodes);
    const { hasNextPage, endCursor } = answer.trades.pageInfo;
    if (!hasNextPage) {
      const ledger = ledgerOf(trades, (await agentOf(connection, wallet, signal))?.id);
      const split = splitOf(answer.contract);
      return portfolioOf(ledger, await agentsOf(connection, ledger.holdings, signal), split);
    }
    after = endCursor;
    progress(trades.length);
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

/** The agent of a wallet. undefined if the wallet is no agent of this service. */
async function agentOf(connection: Connection, wallet: string, signal: AbortSignal): Promise<MarketAgent | undefined> {
  try {
    return (await connection.query(marketQuery, { wallet }, signal)).agent ?? undefined;
  } catch (error) {
    if (error instanceof RequestError && error.problem.kind === 'missing') return undefined;
    throw error;
  }
}

async function agentsOf(
  connection: Connection,
  holdings: readonly { readonly address: string }[],
  signal: AbortSignal,
) {
  const found = await Promise.all(
    holdings.map(async ({ address }) => [address, await agentOf(connection, address, signal)] as const),
  );
  return new Map(found.flatMap(([address, agent]) => (agent ? [[address, agent] as const] : [])));
}
