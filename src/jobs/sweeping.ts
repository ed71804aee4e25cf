import { sweepEvents } from '../core/events/commands/announce.js';
import { sweepNotices } from '../core/notices/commands/notifications.js';
import type { Deps } from '../deps.js';

const EVERY_MS = 10 * 60_000;

/** Deletes old live events and notifications every ten minutes. Each replica does so: deletion is idempotent. */
export function startSweeping(deps: Pick<Deps, 'write' | 'clock' | 'log'>): { stop(): Promise<void> } {
  let running: Promise<void> | undefined;
  const run = () => {
    running ??= sweepEvents(deps)
      .then(() => sweepNotices(deps))
      .catch((error: unknown) => deps.log.error({ err: error }, 'deleting old events failed; retrying'))
      .finally(() => {
        running = undefined;
      });
  };
  run();
  const timer = setInterval(run, EVERY_MS);
  return {
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
