import type { Deps } from '../../../deps.js';
import { tradesIn } from '../queries/trades.js';
import { InconsistentHistory } from '../rules.js';
import { readCursor } from './cursor.js';
import { CATCH_UP_BLOCKS, catchUp } from './ingest.js';
import { repairBlock } from './repair.js';

/** The chain or the index may move while the block is read: it is read again, so many times at most. */
const RECALL_TRIES = 5;

/**
 * A receipt shows a trade in a block that the index has passed without it: the block is read again. Nothing is taken
 * from the receipt: the index goes back only if the block, which must be the chain's, has facts that the index lacks.
 * False: that could not be found out, or is so far back that the indexer has to do it.
 */
export const recallTrade = (deps: Deps, txHash: string, block: number): Promise<boolean> =>
  // One at a time in a process: each reads a block from the chain and may move the index.
  deps.queues.recalls(() => recall(deps, txHash, block));

async function recall(deps: Deps, txHash: string, block: number): Promise<boolean> {
  for (let tries = 0; tries < RECALL_TRIES; tries++) {
    // Another request may have had the same block read.
    if ((await tradesIn(deps, txHash)).length > 0) return true;
    const { blockNumber } = await readCursor(deps);
    if (blockNumber - block > CATCH_UP_BLOCKS) return false;
    const repair = await repairBlock(deps, block).catch((error: unknown) => {
      // The index lacks something before the block, too.
      if (error instanceof InconsistentHistory) return 'unknown' as const;
      throw error;
    });
    if (repair === 'right') return true;
    if (repair === 'repaired') return catchUp(deps, blockNumber);
  }
  return false;
}
