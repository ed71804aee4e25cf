import { schedule } from 'node-cron';
import { updateSeasons } from '../features/seasons/score.js';
import { startDueSeason } from '../features/seasons/start.js';
import type { IndexDeps } from '../index/cursor.js';
import { isOutage } from '../observe/outage.js';

export type ScoringJob = { stop(): Promise<void> };

/**
 * Schedules in cron syntax. The season is scored at midnight. The runs of every minute retry failures, and score
 * seasons that ended by hand or waited for blocks.
 */
const MIDNIGHT = '0 0 * * *';
const EVERY_MINUTE = '* * * * *';

/** Schedules the season jobs until it is stopped. It also runs them at the start, which makes up for a missed midnight. */
export async function startScoring(deps: IndexDeps): Promise<ScoringJob> {
  await startDueSeason(deps);
  const score = scoringRunner(deps);
  const options = { timezone: 'UTC', suppressMissedWarning: true, logger: deps.log };
  const tasks = [MIDNIGHT, EVERY_MINUTE].map((pattern) => schedule(pattern, score, options));
  void score();
  return {
    async stop() {
      for (const task of tasks) await task.destroy();
      await score.ended();
    },
  };
}

/** Runs one scoring at a time. A call during a run waits for that run. Failures are logged; the next run retries. */
function scoringRunner(deps: IndexDeps): { (): Promise<void>; ended(): Promise<void> } {
  let running: Promise<void> | undefined;
  const run = async () => {
    try {
      await deps.metrics.job('scoring', () => updateSeasons(deps));
    } catch (error) {
      deps.log[isOutage(error) ? 'debug' : 'error']({ err: error }, 'scoring the seasons failed; retrying');
    } finally {
      running = undefined;
    }
  };
  const keep = () => {
    running ??= run();
    return running;
  };
  return Object.assign(keep, { ended: async () => running });
}
