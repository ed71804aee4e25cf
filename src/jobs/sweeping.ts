import type { Deps } from '../deps.js';
import { sweepNotices } from '../features/notices/notify.js';
import { sweepEvents } from '../live/announce.js';
import { isOutage } from '../observe/outage.js';
import { sweepAnswers } from '../server/idempotency/records.js';

const EVERY_MS = 10 * 60_000;

/**
 * Deletes old live events, notifications and answers for retries every ten minutes. Every replica runs this job, because
 * deletion is idempotent.
 */
export function startSweeping(deps: Pick<Deps, 'write' | 'clock' | 'log' | 'metrics'>): { stop(): Promise<void> } {
  let running: Promise<void> | undefined;
  const run = () => {
    running ??= deps.metrics
      .job('sweeping', () => sweep(deps))
      .catch((error: unknown) =>
        deps.log[isOutage(error) ? 'debug' : 'error']({ err: error }, 'deleting old events failed; retrying'),
      )
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

async function sweep(deps: Pick<Deps, 'write' | 'clock' | 'log'>): Promise<void> {
  await sweepEvents(deps);
  await sweepNotices(deps);
  await sweepAnswers(deps);
}
