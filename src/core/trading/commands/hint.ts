import type { Deps } from '../../../deps.js';
import { catchUp } from './ingest.js';

/**
 * Somebody says that something happened on the chain. The chain itself is asked what it is: a hint is never believed.
 * Hints that arrive while the index syncs are followed together by one more sync.
 */
export const followHint = (deps: Deps): Promise<void> =>
  deps.queues.hints(async () => {
    try {
      await catchUp(deps, await deps.market.blockNumber());
    } catch (error) {
      // The indexer reads the same blocks a little later.
      deps.log.warn({ err: error }, 'a hint from the webhook could not be followed');
    }
  });
