import { schedule } from 'node-cron';
import type { Deps } from '../deps.js';
import { sweepFormerKeys } from '../features/keys/former-keys.js';
import { sweepNotices } from '../features/notices/notify.js';
import { startDueSeason } from '../features/seasons/lifecycle.js';
import { updateSeasons } from '../features/seasons/score.js';
import type { IndexDeps } from '../index/cursor.js';
import { sweepEvents } from '../live/announce.js';
import { isOutage } from '../observe/outage.js';
import { stateNow } from '../server/health/state.js';
import { sweepAnswers } from '../server/idempotency/keys.js';
import { every } from '../times.js';

/** Cron patterns. The runs of each minute retry, and score seasons that ended by hand or waited for blocks. */
const MIDNIGHT = '0 0 * * *';
const EVERY_MINUTE = '* * * * *';

/** Schedules the season jobs until it is stopped. It also runs them at the start, which makes up for a missed midnight. */
export async function startScoring(deps: IndexDeps): Promise<{ stop(): Promise<void> }> {
  await startDueSeason(deps);
  const score = runner(
    () => deps.metrics.job('scoring', () => updateSeasons(deps)),
    (error) => deps.log[isOutage(error) ? 'debug' : 'error']({ err: error }, 'scoring the seasons failed; retrying'),
  );
  const options = { timezone: 'UTC', suppressMissedWarning: true, logger: deps.log };
  const tasks = [MIDNIGHT, EVERY_MINUTE].map((pattern) => schedule(pattern, score.run, options));
  void score.run();
  return {
    async stop() {
      for (const task of tasks) await task.destroy();
      await score.ended();
    },
  };
}

/** Runs work once at a time. A call during a run waits for that run. `onError` gets a failure; the next run retries. */
function runner(work: () => Promise<unknown>, onError: (error: unknown) => void) {
  let running: Promise<void> | undefined;
  const run = () => {
    running ??= work()
      .then(() => {}, onError)
      .finally(() => {
        running = undefined;
      });
    return running;
  };
  return { run, ended: async () => running };
}

const SWEEP_EVERY_MS = 10 * 60_000;

/** Deletes old events, notifications, stored answers and former keys. Every replica runs it, because deletion is idempotent. */
export function startSweeping(deps: Pick<Deps, 'write' | 'clock' | 'log' | 'metrics'>): { stop(): Promise<void> } {
  const sweep = async () => {
    await sweepEvents(deps);
    await sweepNotices(deps);
    await sweepAnswers(deps);
    await sweepFormerKeys(deps);
  };
  const sweeping = runner(
    () => deps.metrics.job('sweeping', sweep),
    (error) => deps.log[isOutage(error) ? 'debug' : 'error']({ err: error }, 'deleting old events failed; retrying'),
  );
  void sweeping.run();
  const timer = setInterval(sweeping.run, SWEEP_EVERY_MS);
  return {
    async stop() {
      clearInterval(timer);
      await sweeping.ended();
    },
  };
}

const LOOK_EVERY_MS = 15_000;
const TICK_MS = 1000;

/**
 * Looks at the parts every 15 seconds, and every second while one is away or suspected to be. So the log says when an outage begins
 * and ends, and /health says what was seen of the parts without asking them.
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

/** Says once when the chain stands still, and once when it goes on. */
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
