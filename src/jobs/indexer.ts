import { type ChainRange, RangeRefused } from '../chain/ranges.js';
import { pruneHashes, readCursor } from '../core/trading/commands/cursor.js';
import { applyRange } from '../core/trading/commands/ingest.js';
import { reconcile } from '../core/trading/commands/reorganise.js';
import type { Deps } from '../deps.js';
import { AppError } from '../errors.js';
import type { Leadership } from '../store/leader.js';

export type Indexer = { stop(): Promise<void> };
export type IndexerOptions = { readonly leadership: Leadership; readonly pollMs: number };

const FIRST_RANGE = 2000;
const LARGEST_RANGE = 10_000;
const IN_FLIGHT = 3;
/** A replica that does not lead, and an index that has stopped, look again this often. */
const IDLE_MS = 3000;
const PRUNE_EVERY_MS = 60_000;

/** Follows the chain, on one replica at a time, until it is stopped. */
export function startIndexer(deps: Deps, { leadership, pollMs }: IndexerOptions): Indexer {
  const wait = sleeper();
  let stopping = false;
  let away = false;
  let prunedAt = 0;
  const turn = async (): Promise<number> => {
    if (!(await leadership.lead())) return IDLE_MS;
    const head = (await deps.market.blockNumber()) - deps.config.confirmations;
    await reconcile(deps);
    const { blockNumber, fault } = await readCursor(deps);
    if (fault !== null) return IDLE_MS;
    if (blockNumber < head) await follow(deps, blockNumber + 1, head, () => stopping);
    if (Date.now() - prunedAt > PRUNE_EVERY_MS) {
      prunedAt = Date.now();
      await pruneHashes(deps, await deps.market.finalized());
    }
    return pollMs;
  };
  const run = async () => {
    while (!stopping) {
      let pause = pollMs;
      try {
        pause = await turn();
        if (away) deps.log.info('the chain is back: indexing goes on');
        away = false;
      } catch (error) {
        pause = Math.max(pollMs, 1000);
        const unreachable = error instanceof AppError && error.code === 'CHAIN_UNAVAILABLE';
        // An outage is said once; anything else each time, since it should not be.
        if (!unreachable) deps.log.error({ err: error }, 'indexing failed; trying again');
        else if (!away) deps.log.warn({ err: error }, 'the chain is out of reach: indexing waits');
        away ||= unreachable;
      }
      if (!stopping) await wait.for(pause);
    }
  };
  const ended = run();
  return {
    async stop() {
      stopping = true;
      wait.wake();
      await ended;
      await leadership.close();
    },
  };
}

/** Reads ahead, several ranges in flight, and applies them in order. */
async function follow(deps: Deps, from: number, head: number, stopping: () => boolean): Promise<void> {
  const size = { blocks: FIRST_RANGE };
  const ahead: Promise<ChainRange[]>[] = [];
  let next = from;
  try {
    while ((next <= head || ahead.length > 0) && !stopping()) {
      while (next <= head && ahead.length < IN_FLIGHT) {
        const to = Math.min(head, next + size.blocks - 1);
        const read = readAdapting(deps, next, to, size);
        // Its failure is seen when its turn comes, or not at all if an earlier one fails.
        read.catch(() => {});
        ahead.push(read);
        next = to + 1;
      }
      for (const range of (await ahead.shift()) ?? []) {
        // The cursor went back under a reorganisation: begin again from where it is.
        if (!(await applyRange(deps, range))) return;
      }
    }
  } finally {
    await Promise.allSettled(ahead);
  }
}

/** Halves what the RPC refuses, in whatever words, and grows again while it accepts. */
async function readAdapting(deps: Deps, from: number, to: number, size: { blocks: number }): Promise<ChainRange[]> {
  const blocks = to - from + 1;
  try {
    const range = await deps.market.range(from, to);
    if (blocks >= size.blocks) size.blocks = Math.min(LARGEST_RANGE, Math.ceil(size.blocks * 1.5));
    return [range];
  } catch (error) {
    if (!(error instanceof RangeRefused) || blocks === 1) throw error;
    const half = Math.floor(blocks / 2);
    size.blocks = Math.min(size.blocks, half);
    const first = await readAdapting(deps, from, from + half - 1, size);
    return [...first, ...(await readAdapting(deps, from + half, to, size))];
  }
}

/** A pause that a stop cuts short. */
function sleeper(): { for(milliseconds: number): Promise<void>; wake(): void } {
  let wake = () => {};
  return {
    for: (milliseconds) =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, milliseconds);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      }),
    wake: () => wake(),
  };
}
