import type { Market } from '../chain/market.js';

/** A market whose reads fail as soon as the indexer is to stop. Writes to the database are waited for. */
export function untilStopped(market: Market, signal: AbortSignal): Market {
  return {
    ...market,
    blockNumber: () => cut(market.blockNumber(), signal),
    range: (from, to, thorough) => cut(market.range(from, to, thorough), signal),
    stateAt: (block, wallets) => cut(market.stateAt(block, wallets), signal),
    balanceAt: (block, holder, agent) => cut(market.balanceAt(block, holder, agent), signal),
    hashes: (numbers) => cut(market.hashes(numbers), signal),
    finalized: () => cut(market.finalized(), signal),
  };
}

/** The indexer stops, or has lost the session that made it the leader. */
export class NoLongerLeads extends Error {}

/** The answer, or an error as soon as the signal comes. */
export function cut<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(new NoLongerLeads('the indexer leads no longer'));
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave, { once: true });
    answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}
