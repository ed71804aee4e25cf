import { TIMES, type Timeouts, type Times, timesOf } from '../../src/config/timeouts.js';

/**
 * The value of TIMEOUT_FACTOR in the tests and in their processes. It is large, so that no timeout ends a test that is not about
 * it. The tests of faults, abuse and drills need the timeouts of a fast machine: their runners set the variable to 1.
 */
export const TIMEOUT_FACTOR = process.env.TIMEOUT_FACTOR ?? '100';

/** Timeouts and timer for all tests that are not about timeouts. */
export const testTimes = timesOf({ TIMEOUT_FACTOR: Number(TIMEOUT_FACTOR) });

/** Times whose clock stands still until the test turns it. */
export type ManualTimes = Times & {
  /** Lets time pass and calls what is due, in order. */
  advance(milliseconds: number): void;
  /** The milliseconds after which each waiting timer is due, in ascending order. */
  readonly waiting: readonly number[];
};

/** The timeouts of the service, except the given ones, on a timer that moves only when the test calls `advance`. */
export function manualTimes(timeouts: Partial<Timeouts> = {}): ManualTimes {
  const timers = new Set<{ readonly at: number; readonly act: () => void }>();
  let now = 0;
  return {
    ...TIMES,
    ...timeouts,
    now: () => now,
    after(milliseconds, act) {
      const timer = { at: now + milliseconds, act };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    advance(milliseconds) {
      const end = now + milliseconds;
      for (;;) {
        const next = [...timers].reduce((a, b) => (b.at < a.at ? b : a), { at: Number.POSITIVE_INFINITY, act() {} });
        if (next.at > end) break;
        timers.delete(next);
        now = Math.max(now, next.at);
        next.act();
      }
      now = end;
    },
    get waiting() {
      return [...timers].map(({ at }) => at - now).sort((a, b) => a - b);
    },
  };
}
