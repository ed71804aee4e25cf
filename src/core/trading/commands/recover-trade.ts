import type { Deps } from '../../../deps.js';
import { tradesIn } from '../queries/trades.js';
import { InconsistentHistory } from '../rules.js';
import { readCursor } from './cursor.js';
import { CATCH_UP_BLOCKS, catchUp } from './ingest.js';
import { repairBlock } from './repair.js';

/** Retries if the chain or the index changes while the block is read. */
const MAX_ATTEMPTS = 5;

/**
 * Handles a receipt that shows a trade in a block that the index has passed without it, by reading the block again. The
 * receipt itself is not trusted: the index goes back only if the block has facts that it lacks. Returns false if that could
 * not be determined, or if the block is so far back that the indexer must do it.
 */
export const recoverTrade = (deps: Deps, txHash: string, block: number): Promise<boolean> =>
  // Runs of one process are sequential: each reads a block and may move the index back.
  deps.queues.recoveries(() => recoverNow(deps, txHash, block));

async function recoverNow(deps: Deps, txHash: string, block: number): Promise<boolean> {
  for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts++) {
    // A concurrent request may have repaired the same block.
    if ((await tradesIn(deps, txHash)).length > 0) return true;
    const { blockNumber } = await readCursor(deps);
    if (blockNumber - block > CATCH_UP_BLOCKS) return false;
    const repair = await repairBlock(deps, block).catch((error: unknown) => {
      // The index lacks earlier facts, too.
      if (error instanceof InconsistentHistory) return 'unknown' as const;
      throw error;
    });
    if (repair === 'right') return true;
    if (repair === 'repaired') return catchUp(deps, blockNumber);
  }
  return false;
}
