import type { Verdict, Window } from './limits.js';

/** State of a window before the request. */
export type WindowUsage = {
  readonly used: number;
  /** Time of the oldest counted request. null if none counts. */
  readonly oldest: number | null;
  /** Time when the request fits. `now` if it fits now; null if its cost exceeds the maximum. */
  readonly passesAt: number | null;
};

/**
 * Retention of a key after its window is empty. The stored times reveal a clock that steps back by less than this time,
 * and replicas whose clocks differ by less than this time.
 */
export const LINGER_MS = 60_000;

export const costOf = ({ cost = 1 }: Window): number => cost;

/** True if the request fits into every window. */
export const fitsAll = (usages: readonly WindowUsage[], now: number): boolean =>
  usages.every(({ passesAt }) => passesAt === now);

/** The verdict. After `take` the windows include the request, after `peek` they do not. */
export function verdict(
  windows: readonly Window[],
  usages: readonly WindowUsage[],
  now: number,
  take: boolean,
): Verdict {
  const allowed = fitsAll(usages, now);
  const secondsUntil = (time: number) => Math.ceil((time - now) / 1000);
  const waits = windows.map((window, i) => {
    const passesAt = usages[i]?.passesAt ?? null;
    // Redis deletes a key after this time, even if the clock has stepped back. So no wait is longer.
    const longest = window.seconds + LINGER_MS / 1000;
    return passesAt === null ? window.seconds : Math.min(longest, secondsUntil(passesAt));
  });
  return {
    allowed,
    retryAfter: Math.max(0, ...waits),
    windows: windows.map((window, i) => {
      const taken = take && allowed ? costOf(window) : 0;
      const used = (usages[i]?.used ?? 0) + taken;
      const oldest = usages[i]?.oldest ?? (taken > 0 ? now : null);
      return {
        ...window,
        remaining: Math.max(0, window.max - used),
        resetSeconds: oldest === null ? 0 : secondsUntil(oldest + window.seconds * 1000),
        waitSeconds: waits[i] ?? 0,
      };
    }),
  };
}
