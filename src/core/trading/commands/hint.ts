import type { Deps } from '../../../deps.js';
import { catchUp } from './ingest.js';

const running = new WeakMap<Deps, Promise<void>>();
const again = new WeakSet<Deps>();

/**
 * Somebody says that something happened on the chain. What it is, the chain itself is asked: a hint is never believed.
 * Hints that come while one is followed are followed together afterwards, however many they are.
 */
export function followHint(deps: Deps): Promise<void> {
  const current = running.get(deps);
  if (current) {
    again.add(deps);
    return current;
  }
  const run = (async () => {
    do {
      again.delete(deps);
      await catchUp(deps, await deps.market.blockNumber());
    } while (again.has(deps));
  })()
    // The indexer comes to it by itself, a little later.
    .catch((error: unknown) => deps.log.warn({ err: error }, 'a hint from the webhook could not be followed'))
    .finally(() => running.delete(deps));
  running.set(deps, run);
  return run;
}
