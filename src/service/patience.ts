import type { Times } from '../config/timeouts.js';
import type { Outages } from '../observe/outages.js';
import { pause } from '../tasks.js';

const FIRST_MS = 1000;
/** Maximum interval between attempts. A service is ready within 10 s after the last fault, also if it started during the fault. */
const MOST_MS = 4000;

type Waiting = {
  readonly outages: Outages;
  readonly times: Times;
  readonly part: 'database' | 'chain';
  /** Whether the work may succeed later without a change of the settings. It is called for each failure after `error`. */
  readonly passes: (error: unknown) => boolean;
  readonly signal: AbortSignal | undefined;
};

/**
 * Repeats work that has failed with `error`, at growing intervals. Throws an error that does not pass, and when the signal aborts.
 */
export async function untilReached<T>(
  work: () => Promise<T>,
  error: unknown,
  { outages, times, part, passes, signal }: Waiting,
): Promise<T> {
  outages.begin(part, 'start', error);
  for (let ms = FIRST_MS; ; ms = Math.min(2 * ms, MOST_MS)) {
    await pause(times, ms, signal);
    signal?.throwIfAborted();
    try {
      const result = await work();
      outages.end(part, 'start');
      return result;
    } catch (again) {
      if (!passes(again)) throw again;
    }
  }
}
