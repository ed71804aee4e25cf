import { setTimeout as delay } from 'node:timers/promises';
import { RangeSize } from '../chain/adaptive.js';
import type { Heads } from '../chain/heads.js';
import type { Market } from '../chain/market.js';
import { type IndexDeps, pruneHashes, readCursor, setFault } from '../core/trading/commands/cursor.js';
import { applyRange } from '../core/trading/commands/ingest.js';
import { reconcile } from '../core/trading/commands/reorganise.js';
import { InconsistentHistory } from '../core/trading/rules.js';
import { AppError } from '../errors.js';
import type { Leadership } from '../store/leader.js';
import { follow } from './follow.js';

export type Indexer = { stop(): Promise<void> };
export type IndexerOptions = {
  readonly leadership: Leadership;
  readonly pollMs: number;
  /** Calls back for each new block, where the RPC announces them. */
  readonly watch?: (onHead: () => void) => Heads;
};

/** A replica that does not lead, and an index that has stopped, look again this often. */
const IDLE_MS = 2000;
const PRUNE_EVERY_MS = 60_000;
/** A node that is behind the index is waited for; a chain that stays shorter for so long is one. */
const SHORTER_MS = 60_000;
/** Facts that contradict the index may be an RPC's slip; so many times in a row they are not. */
const CONTRADICTIONS = 5;
/** While new blocks are announced, it polls so much more rarely: for a connection that has died without a word. */
const ANNOUNCED = 5;
/** However fast blocks come, it looks no more often than in this part of the time between two polls. */
const FASTEST = 10;
/** Of several nodes behind one URL one may lag for a moment, which is no outage. */
const OUTAGES = 2;

/** Follows the chain, on one replica at a time, until it is stopped. */
export function startIndexer(deps: IndexDeps, { leadership, pollMs, watch }: IndexerOptions): Indexer {
  const stopping = new AbortController();
  const { signal } = stopping;
  const ours: IndexDeps = { ...deps, market: untilStopped(deps.market, signal) };
  const size = new RangeSize();
  let outages = 0;
  let prunedAt = 0;
  let shorterSince: number | undefined;
  let contradictions = 0;
  let heads: Heads | undefined;
  let pausing = new AbortController();

  /** Nobody listens for blocks that are not to be read. */
  const idle = (): number => {
    heads?.close();
    heads = undefined;
    return IDLE_MS;
  };

  const turn = async (): Promise<number> => {
    if (!(await cut(leadership.lead(), signal))) return idle();
    heads ??= watch?.(() => pausing.abort());
    const newest = await ours.market.blockNumber();
    shorterSince = newest < (await readCursor(ours)).blockNumber ? (shorterSince ?? Date.now()) : undefined;
    await reconcile(ours, shorterSince !== undefined && Date.now() - shorterSince > SHORTER_MS ? 'gone' : undefined);
    const { blockNumber, fault } = await readCursor(ours);
    if (fault !== null) return idle();
    const head = newest - deps.config.confirmations;
    if (blockNumber < head) await follow(ours.market, blockNumber + 1, head, size, (range) => applyRange(ours, range));
    if (Date.now() - prunedAt > PRUNE_EVERY_MS) {
      prunedAt = Date.now();
      await pruneHashes(ours, await ours.market.finalized());
    }
    return heads?.live() ? pollMs * ANNOUNCED : pollMs;
  };

  /** An outage is said once; anything else each time, since it should not be. */
  const failed = async (error: unknown): Promise<void> => {
    if (signal.aborted) return;
    const unreachable = error instanceof AppError && error.code === 'CHAIN_UNAVAILABLE';
    if (!unreachable) deps.log.error({ err: error }, 'indexing failed; trying again');
    else if (++outages === OUTAGES) deps.log.warn({ err: error }, 'the chain is out of reach: indexing waits');
    if (!(error instanceof InconsistentHistory) || ++contradictions < CONTRADICTIONS) return;
    const { START_BLOCK } = deps.config;
    const from =
      START_BLOCK === undefined ? '' : ` from a START_BLOCK (now ${START_BLOCK}) before the contract's block`;
    const why = `the chain contradicts what is indexed (${error.message}); run npm run reindex${from}`;
    deps.log.fatal(why);
    await setFault(deps, why).catch(() => {});
  };

  const run = async () => {
    while (!signal.aborted) {
      let pause = pollMs;
      // A block that is announced from here on cuts the pause short.
      pausing = new AbortController();
      try {
        pause = await turn();
        if (outages >= OUTAGES) deps.log.info('the chain is back: indexing goes on');
        outages = 0;
        contradictions = 0;
      } catch (error) {
        pause = Math.max(pollMs, 1000);
        await failed(error);
      }
      // They reject when they are cut short, which is as good an end.
      await delay(pollMs / FASTEST, undefined, { signal }).catch(() => {});
      if (!signal.aborted) await delay(pause, undefined, { signal: pausing.signal }).catch(() => {});
    }
    heads?.close();
  };
  const ended = run();
  return {
    async stop() {
      stopping.abort();
      pausing.abort();
      await ended;
      await leadership.close();
    },
  };
}

/** A market of which nothing is waited for once the indexer is to stop. What is written is waited for. */
function untilStopped(market: Market, signal: AbortSignal): Market {
  return {
    ...market,
    blockNumber: () => cut(market.blockNumber(), signal),
    range: (from, to) => cut(market.range(from, to), signal),
    hashes: (numbers) => cut(market.hashes(numbers), signal),
    finalized: () => cut(market.finalized(), signal),
  };
}

function cut<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(new Error('the indexer stops'));
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave, { once: true });
    answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}
