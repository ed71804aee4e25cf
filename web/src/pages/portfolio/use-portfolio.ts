import { useCallback, useEffect, useState } from 'preact/hooks';
import { useApp } from '../../app-context.js';
import type { Connection } from '../../graphql/connection.js';
import { noAnswer, type Problem, RequestError } from '../../graphql/problem.js';
import { ledgerOf, type Portfolio, portfolioOf } from './positions.js';
import { type MarketAgent, marketQuery, type WalletTrade, walletTradesQuery } from './queries.js';

/** Number of pages of 100 trades that are read. A wallet with more trades gets no figures, since they would be wrong. */
const MAX_PAGES = 10;

type State = {
  readonly wallet: string;
  readonly data?: Portfolio | undefined;
  readonly problem?: Problem;
  readonly isTooLong?: boolean;
};

/** Positions of a wallet from public data: it needs no key. */
export function usePortfolio(wallet: string | undefined): Omit<State, 'wallet'> & { readonly reload: () => void } {
  const { connection } = useApp();
  const [state, setState] = useState<State | undefined>(undefined);
  const [round, setRound] = useState(0);
  const reload = useCallback(() => setRound((before) => before + 1), []);
  useEffect(() => {
    if (wallet === undefined) return;
    let isOpen = true;
    read(connection, wallet).then(
      (data) => isOpen && setState({ wallet, data, isTooLong: data === undefined }),
      (error: unknown) => {
        const problem = error instanceof RequestError ? error.problem : noAnswer(navigator.onLine, Date.now());
        if (isOpen)
          setState((before) => ({ wallet, problem, data: before?.wallet === wallet ? before.data : undefined }));
      },
    );
    return () => {
      isOpen = false;
    };
  }, [connection, wallet, round]);
  const { data, problem, isTooLong } = state?.wallet === wallet && state ? state : ({} as Partial<State>);
  return { data, reload, ...(problem && { problem }), ...(isTooLong && { isTooLong }) };
}

/** undefined if the wallet has more trades than are read. */
async function read(connection: Connection, wallet: string): Promise<Portfolio | undefined> {
  const own = agentOf(connection, wallet);
  const trades: WalletTrade[] = [];
  let after: string | null = null;
  for (let page = 0; page < MAX_PAGES; page++) {
    const answer: Awaited<ReturnType<typeof readPage>> = await readPage(connection, wallet, after);
    trades.push(...answer.trades.nodes);
    if (!answer.trades.pageInfo.hasNextPage) {
      const { protocolFeeBps, agentFeeBps } = answer.contract;
      const ledger = ledgerOf(trades, (await own)?.id);
      const split = { protocolBps: BigInt(protocolFeeBps), agentBps: BigInt(agentFeeBps) };
      return portfolioOf(ledger, await agentsOf(connection, ledger.holdings), split);
    }
    after = answer.trades.pageInfo.endCursor;
  }
  await own;
  return undefined;
}

const readPage = (connection: Connection, wallet: string, after: string | null) =>
  connection.query(walletTradesQuery, { wallet, after });

/** The agent of a wallet. undefined if the wallet is no agent of this service. */
async function agentOf(connection: Connection, wallet: string): Promise<MarketAgent | undefined> {
  try {
    return (await connection.query(marketQuery, { wallet })).agent ?? undefined;
  } catch (error) {
    if (error instanceof RequestError && error.problem.kind === 'missing') return undefined;
    throw error;
  }
}

async function agentsOf(connection: Connection, holdings: readonly { readonly address: string }[]) {
  const found = await Promise.all(
    holdings.map(async ({ address }) => [address, await agentOf(connection, address)] as const),
  );
  return new Map(found.flatMap(([address, agent]) => (agent ? [[address, agent] as const] : [])));
}
