import { RangeSize } from '../chain/logs/range-size.js';
import { ensureCursor, type IndexDeps, pruneHashes, readCursor } from '../core/trading/commands/cursor.js';
import { applyRange } from '../core/trading/commands/ingest.js';
import { adoptRebuild, type Corrections } from '../core/trading/commands/rebuild.js';
import { reconcile } from '../core/trading/commands/reorg.js';
import { INDEX, JOB, withTimeouts } from '../store/connections/timeouts.js';
import { syncRanges } from './sync.js';

/**
 * Maximum number of attempts to catch up with the live index, which keeps running. If the live index is still ahead
 * after these attempts, it is on an abandoned fork.
 */
const MAX_ATTEMPTS = 10;

export type Progress = (block: number, head: number) => void;

/**
 * Reads all facts again into a separate schema and corrects the rows of the live tables that differ. `deps` uses the
 * schema of the rebuild; `schema` is the live one.
 */
export async function rebuild(
  deps: IndexDeps,
  options: { schema: string; start: () => Promise<number>; progress: Progress },
): Promise<Corrections> {
  return withTimeouts(INDEX, () => readFromChain(deps, options));
}

async function readFromChain(
  deps: IndexDeps,
  { schema, start, progress }: { schema: string; start: () => Promise<number>; progress: Progress },
): Promise<Corrections> {
  await ensureCursor(deps, start);
  const size = new RangeSize();
  for (let attempts = 0; ; ) {
    await reconcile(deps, 'gone', { tell: false });
    const { blockNumber, fault } = await readCursor(deps);
    if (fault !== null) throw new Error(`the rebuild has stopped: ${fault}`);
    const [live] = await deps.sql<{ block: number }>(`select block_number as block from ${schema}.indexer_cursor`);
    const newest = await deps.market.blockNumber();
    // A submitted trade can move the live index past the confirmed head. The rebuild then reads up to the block of the
    // live index.
    const head = Math.max(newest - deps.config.confirmations, Math.min(newest, live?.block ?? 0));
    progress(blockNumber, head);
    await syncRanges(deps.market, { from: blockNumber + 1, head, size }, async (range) => {
      const applied = await applyRange(deps, range, { tell: false });
      if (applied) progress(range.to, head);
      return applied;
    });
    if ((await readCursor(deps)).blockNumber < head) continue;
    await pruneHashes(deps, await deps.market.finalized());
    const corrections = await withTimeouts(JOB, () => adoptRebuild(deps, schema, ++attempts === MAX_ATTEMPTS));
    if (corrections) return corrections;
  }
}
