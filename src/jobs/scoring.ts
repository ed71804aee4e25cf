import { schedule } from 'node-cron';
import { keepSeasons } from '../core/seasons/commands/score.js';
import { beginSeason } from '../core/seasons/commands/start.js';
import type { IndexDeps } from '../core/trading/commands/cursor.js';

export type ScoringJob = { stop(): Promise<void> };

/** When the day's scoring is due, and when to look for what is left over: a failure, an end by hand, blocks to come. */
const MIDNIGHT = '0 0 * * *';
const EVERY_MINUTE = '* * * * *';

/** Keeps the seasons: begins the first at once, makes up a missed midnight, and goes on until it is stopped. */
export async function startScoring(deps: IndexDeps): Promise<ScoringJob> {
  await beginSeason(deps);
  const keep = keeper(deps);
  const options = { timezone: 'UTC', suppressMissedWarning: true, logger: deps.log };
  const tasks = [MIDNIGHT, EVERY_MINUTE].map((pattern) => schedule(pattern, keep, options));
  void keep();
  return {
    async stop() {
      for (const task of tasks) await task.destroy();
      await keep.ended();
    },
  };
}

/** One run at a time: what comes while one is under way has nothing to add. A failure is logged; the next run tries again. */
export function keeper(deps: IndexDeps): { (): Promise<void>; ended(): Promise<void> } {
  let running: Promise<void> | undefined;
  const run = async () => {
    try {
      await keepSeasons(deps);
    } catch (error) {
      deps.log.error({ err: error }, 'keeping the seasons failed; trying again');
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
