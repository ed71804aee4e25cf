import type { Logger } from 'pino';
import { firstLine } from '../outage.js';
import { pause, type Times } from '../times.js';

const FIRST_MS = 1000;
const MOST_MS = 30_000;

type Waiting = {
  readonly log: Logger;
  readonly times: Times;
  /** What the start waits for, for the log. */
  readonly what: 'database' | 'chain';
  /** Whether the same work may succeed later, without a change of the settings. It is asked for each failure. */
  readonly passes: (error: unknown) => boolean;
  readonly signal: AbortSignal | undefined;
};

/**
 * Repeats work whose failure was `error` until it succeeds, at growing intervals. Says once for each reason that it waits, and once
 * that it does not any more. Throws what does not pass, and when the signal aborts.
 */
export async function untilReached<T>(
  work: () => Promise<T>,
  error: unknown,
  { log, times, what, passes, signal }: Waiting,
): Promise<T> {
  const since = times.now();
  const told = new Set<string>();
  const tell = (failure: unknown) => {
    const reason = firstLine(failure as Error);
    if (!told.has(reason)) log.warn({ what, reason }, 'the start waits for a part that cannot be reached');
    told.add(reason);
  };
  tell(error);
  for (let ms = FIRST_MS; ; ms = Math.min(2 * ms, MOST_MS)) {
    await pause(times, ms, signal);
    signal?.throwIfAborted();
    try {
      const result = await work();
      const seconds = Math.round((times.now() - since) / 1000);
      log.info({ what, seconds }, 'the part is reached: the start continues');
      return result;
    } catch (again) {
      if (!passes(again)) throw again;
      tell(again);
    }
  }
}
