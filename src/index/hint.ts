import type { Deps } from '../deps.js';
import { isOutage } from '../observe/outage.js';
import { catchUp } from './ingest.js';

/** Syncs the index from the chain, because hints are not trusted. All hints during a run cause one more run. */
export const syncFromHint = (deps: Deps): Promise<void> =>
  deps.queues.hints(async () => {
    try {
      await catchUp(deps, await deps.market.blockNumber());
    } catch (error) {
      // The error is only logged, because the indexer reads the same blocks at its next poll.
      deps.log[isOutage(error) ? 'debug' : 'warn']({ err: error }, 'the sync after a webhook hint failed');
    }
  });
