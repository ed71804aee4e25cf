import { schedule } from 'node-cron';
import type { Deps } from '../deps.js';
import { sweepFormerKeys } from '../features/agents/keys/former-keys.js';
import { sweepNotices } from '../features/notices/notifications.js';
import { stateNow } from '../features/operator/state.js';
import { startDueSeason } from '../features/seasons/lifecycle.js';
import { updateLinks } from '../features/seasons/links/links.js';
import { updateSeasons } from '../features/seasons/score.js';
import { judge } from '../features/theses/judge.js';
import type { IndexDeps } from '../index/cursor.js';
import { sweepEvents } from '../live/announce.js';
import { isOutage } from '../observe/database-errors.js';
import { sweepAnswers } from '../server/idempotency/keys.js';
import { every } from '../tasks.js';

type Job = { stop(): Promise<void> };
type JobDeps = Pick<Deps, 'log' | 'metrics'>;

/** Runs work at the start and by a cron pattern, never twice at the same time. After a failure, the next run tries again. */
function startJob({ log, metrics }: JobDeps, name: string, pattern: string, work: () => Promise<unknown>): Job {
  let running: Promise<unknown> | undefined;
  const run = () => {
    running ??= metrics
      .job(name, work)
      .catch((error: unknown) => log[isOutage(error) ? 'debug' : 'error']({ err: error, job: name }, 'a job failed; retrying'))
      .finally(() => {
        running = undefined;
      });
  };
  run();
  const task = schedule(pattern, run, { timezone: 'UTC', suppressMissedWarning: true, logger: log });
  return {
    async stop() {
      await task.destroy();
      await running;
    },
  };
}

/**
 * Scores the active season after each midnight UTC, and freezes seasons that have ended. It checks every minute what is due, so it
 * makes up for missed runs. The first season begins before the service is ready.
 */
export async function startScoring(deps: IndexDeps): Promise<Job> {
  await startDueSeason(deps);
  return startJob(deps, 'scoring', '* * * * *', () => updateSeasons(deps));
}

/** Finds possibly linked wallets after each scoring. Every replica runs it, because one computes and the others then find nothing due. */
export function startLinking(deps: IndexDeps): Job {
  return startJob(deps, 'linking', '* * * * *', () => updateLinks(deps));
}

/** Judges theses whose horizons have ended. Every replica runs it, because steps that meet wait for each other. */
export function startJudging(deps: IndexDeps): Job {
  return startJob(deps, 'judging', '* * * * *', () => judge(deps));
}

/** Deletes old events, notifications, stored answers and former keys. Every replica runs it, because deletion is idempotent. */
export function startSweeping(deps: JobDeps & Pick<Deps, 'write' | 'clock'>): Job {
  return startJob(deps, 'sweeping', '*/10 * * * *', async () => {
    await sweepEvents(deps);
    await sweepNotices(deps);
    await sweepAnswers(deps);
    await sweepFormerKeys(deps);
  });
}

const LOOK_EVERY_MS = 15_000;
const TICK_MS = 1000;

/**
 * Checks the database, the chain and the index every 15 seconds, and every second while one of them is unavailable or suspected to
 * be. So the log says when an outage begins and ends, and /health answers with the result of the last check.
 */
export function startWatching(deps: Deps): { stop(): void } {
  const { times, outages } = deps;
  const watch = new ChainWatch(deps);
  let lookedAt = Number.NEGATIVE_INFINITY;
  const tick = () => {
    if (!outages.needsLook() && times.now() - lookedAt < LOOK_EVERY_MS) return;
    lookedAt = times.now();
    void watch.look();
  };
  tick();
  return { stop: every(times, TICK_MS, tick) };
}

/** Logs one line when the chain stands still, and one when it has new blocks again. */
export class ChainWatch {
  /** The newest block before the chain stood still, and its time. */
  #stop: { readonly blockNumber: number; readonly since: number } | undefined;

  constructor(private readonly deps: Deps) {}

  async look(): Promise<void> {
    const { log, clock } = this.deps;
    const { state, blockNumber, ageSeconds } = (await stateNow(this.deps)).chain;
    if (blockNumber === null || ageSeconds === null) return;
    const now = clock.now().getTime();
    if (state === 'still' && this.#stop === undefined) {
      this.#stop = { blockNumber, since: now - ageSeconds * 1000 };
      log.warn({ blockNumber, ageSeconds }, 'the chain stands still: there is no new block');
    } else if (state === 'ok' && this.#stop !== undefined && blockNumber > this.#stop.blockNumber) {
      const seconds = Math.round((now - this.#stop.since) / 1000);
      this.#stop = undefined;
      log.info({ blockNumber, seconds }, 'the chain has new blocks again');
    }
  }
}
