import type { Deps } from '../../../deps.js';
import { catchUp } from './ingest.js';

const running = new WeakMap<Deps, Promise<void>>();
const rerun = new WeakSet<Deps>();

/**
 * Syncs the index up to the newest block. The content of a hint is not trusted; the chain is read instead. Hints during a
 * run cause one more run, however many they are.
 */
export function syncFromHint(deps: Deps): Promise<void> {
  const current = running.get(deps);
  if (current) {
    rerun.add(deps);
    return current;
  }
  const run = (async () => {
    do {
      rerun.delete(deps);
      await catchUp(deps, await deps.market.blockNumber());
    } while (rerun.has(deps));
  })()
    // The indexer reads the same blocks at its next poll.
    .catch((error: unknown) => deps.log.warn({ err: error }, 'the sync after a webhook hint failed'))
    .finally(() => running.delete(deps));
  running.set(deps, run);
  return run;
}
