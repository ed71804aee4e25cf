import type { Deps } from '../../../deps.js';
import { catchUp } from './ingest.js';

/**
 * Syncs the index up to the newest block. The content of a hint is not trusted; the chain is read instead. Hints during a
 * run cause one more run, however many they are.
 */
export const syncFromHint = (deps: Deps): Promise<void> =>
  deps.queues.hints(async () => {
    try {
      await catchUp(deps, await deps.market.blockNumber());
    } catch (error) {
      // The indexer reads the same blocks at its next poll.
      deps.log.warn({ err: error }, 'the sync after a webhook hint failed');
    }
  });
