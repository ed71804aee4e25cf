import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { useApp } from '../../app-context.js';
import { type Problem, problemFrom } from '../../graphql/problem.js';
import { useLater } from '../../ui/use-later.js';
import { useRetry } from '../../ui/use-retry.js';
import { type Book, type Portfolio, portfolioOf, withTrade } from './positions.js';
import { liveTrades } from './queries.js';
import { readAgents, readBook } from './read-book.js';

/** Pause before the page reads again what a reorg changed by removing trades. One read then covers all trades that it removed. */
const PAUSE_MS = 2000;

type State = {
  readonly wallet: string | undefined;
  readonly data?: Portfolio | undefined;
  readonly problem?: Problem | undefined;
  /** Number of trades read so far, while more follow. */
  readonly reading?: number | undefined;
  /** Number of reads in a row that failed. */
  readonly failures: number;
};

export type WalletData = Omit<State, 'failures' | 'wallet'> & { readonly reload: () => void };

/**
 * Positions and trades of a wallet, from public data, so no key is needed. The trades are read once. After that, live events of
 * the market add trades of the wallet and change prices. Without a wallet, the hook reads nothing.
 */
export function usePortfolio(wallet: string | undefined): WalletData {
  const { connection } = useApp();
  const [present, setState] = useState<State>({ wallet, failures: 0 });
  const state = present.wallet === wallet ? present : { wallet, failures: 0 };
  const [round, setRound] = useState(0);
  const book = useRef<Book | undefined>(undefined);
  const reload = useCallback(() => setRound((before) => before + 1), []);
  const show = (next: Book, change: Partial<State> = {}) => {
    book.current = next;
    setState((before) => ({ ...before, ...change, data: portfolioOf(next, before.data?.positions) }));
  };
  const reloadLater = useLater(async () => reload(), PAUSE_MS);
  const renewPrices = useLater(async () => {
    const read = await readAgents(connection, [...(book.current?.agents.keys() ?? [])]);
    if (book.current) show({ ...book.current, agents: new Map([...book.current.agents, ...read]) });
  }, PAUSE_MS);
  useEffect(() => {
    // Drops the book of the previous wallet, so that a read of its prices which ends now shows nothing.
    book.current = undefined;
    if (wallet === undefined) return;
    setState((before) => (before.wallet === wallet ? before : { wallet, failures: 0 }));
    const end = new AbortController();
    const { signal } = end;
    const progress = (reading: number) => setState((before) => ({ ...before, problem: undefined, reading }));
    const start = async () => {
      const { book: first, position } = await readBook({ connection, wallet, signal, progress });
      if (signal.aborted) return;
      show(first, { problem: undefined, reading: undefined, failures: 0 });
      const stop = connection.watch(
        liveTrades,
        { after: position },
        {
          gap: reload,
          next: ({ trade: { tradeId, trade } }) => {
            const before = book.current ?? first;
            if (trade) {
              const next = withTrade(before, trade);
              if (next !== before) show(next);
            } else if (before.trades.has(tradeId)) {
              // A reorg removed a trade of the wallet. This may change the profit of later sales, so everything is read again.
              reloadLater();
            } else renewPrices();
          },
        },
      );
      signal.addEventListener('abort', stop);
    };
    start().catch((error: unknown) => {
      if (signal.aborted) return;
      setState(({ data, failures: n }) => ({ wallet, data, failures: n + 1, problem: problemFrom(error, n) }));
    });
    return () => end.abort();
  }, [connection, wallet, round]);
  useRetry(state.problem, reload);
  return { ...state, reload };
}
