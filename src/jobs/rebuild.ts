import { RangeSize } from '../chain/logs/range-size.js';
import { ensureCursor, type IndexDeps, pruneHashes, readCursor } from '../core/trading/commands/cursor.js';
import { applyRange } from '../core/trading/commands/ingest.js';
import { adoptRebuild, type Corrections } from '../core/trading/commands/rebuild.js';
import { reconcile } from '../core/trading/commands/reorganise.js';
import { INDEX, JOB, withLimits } from '../store/connections/time-limits.js';
import { follow } from './follow.js';

/** The live index goes on meanwhile. One that stays further is on a chain that is gone. */
const RACES = 10;

export type Progress = (block: number, head: number) => void;

/**
 * Reads every fact from the chain anew and puts right what the live tables have otherwise. `deps` looks for tables in
 * the schema of the rebuild; `schema` is the live one.
 */
export async function rebuild(
  deps: IndexDeps,
  options: { schema: string; start: () => Promise<number>; progress: Progress },
): Promise<Corrections> {
  return withLimits(INDEX, () => readAnew(deps, options));
}

async function readAnew(
  deps: IndexDeps,
  { schema, start, progress }: { schema: string; start: () => Promise<number>; progress: Progress },
): Promise<Corrections> {
  await ensureCursor(deps, start);
  const size = new RangeSize();
  for (let races = 0; ; ) {
    await reconcile(deps, 'gone', { tell: false });
    const { blockNumber, fault } = await readCursor(deps);
    if (fault !== null) throw new Error(`the rebuild has stopped: ${fault}`);
    const [live] = await deps.sql<{ block: number }>(`select block_number as block from ${schema}.indexer_cursor`);
    const newest = await deps.market.blockNumber();
    // A trade that was brought early has taken the live index nearer to the newest block than it goes by itself.
    const head = Math.max(newest - deps.config.confirmations, Math.min(newest, live?.block ?? 0));
    progress(blockNumber, head);
    await follow(deps.market, blockNumber + 1, head, size, async (range) => {
      const applied = await applyRange(deps, range, { tell: false });
      if (applied) progress(range.to, head);
      return applied;
    });
    if ((await readCursor(deps)).blockNumber < head) continue;
    await pruneHashes(deps, await deps.market.finalized());
    const corrections = await withLimits(JOB, () => adoptRebuild(deps, schema, ++races === RACES));
    if (corrections) return corrections;
  }
}
