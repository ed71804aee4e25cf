import type { Market } from '../chain/market.js';

/** The indexer is stopping, or its session lost the advisory lock. */
export class LeadershipLost extends Error {}

/** Rejects when the signal aborts. The work itself goes on. */
export function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(new LeadershipLost('the session of the leading replica has ended'));
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** A market whose reads reject when the signal aborts, so that the indexer stops without waiting for the chain. */
export function abortableMarket(market: Market, signal: AbortSignal): Market {
  return {
    ...market,
    blockNumber: () => abortable(market.blockNumber(), signal),
    range: (from, to, thorough) => abortable(market.range(from, to, thorough), signal),
    stateAt: (block, wallets) => abortable(market.stateAt(block, wallets), signal),
    balanceAt: (block, holder, agent) => abortable(market.balanceAt(block, holder, agent), signal),
    hashes: (numbers) => abortable(market.hashes(numbers), signal),
    finalized: () => abortable(market.finalized(), signal),
  };
}
