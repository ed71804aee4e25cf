import type { Verdict, Window } from './limits.js';

/** How a window stands before the request: what counts in it, since when, and from when the request passes it. */
export type Standing = {
  readonly used: number;
  /** The time of the oldest counted request; null if none counts. */
  readonly oldest: number | null;
  /** `now` if the request fits; null if it never will, because its cost is above the maximum. */
  readonly passesAt: number | null;
};

/**
 * How long the requests of a key are kept when its window is empty. While a clock steps back, or those of two
 * replicas differ, by less than this, the newest request of a key is still there to say so.
 */
export const LINGER_MS = 60_000;

export const costOf = ({ cost = 1 }: Window): number => cost;

/** Whether the request fits into every window. */
export const fitsAll = (standings: readonly Standing[], now: number): boolean =>
  standings.every(({ passesAt }) => passesAt === now);

/** The answer to a request: to one that takes, how the windows stand with it; to one that looks, without it. */
export function verdict(
  windows: readonly Window[],
  standings: readonly Standing[],
  now: number,
  take: boolean,
): Verdict {
  const allowed = fitsAll(standings, now);
  const secondsUntil = (time: number) => Math.ceil((time - now) / 1000);
  const waits = windows.map((window, i) => {
    const passesAt = standings[i]?.passesAt ?? null;
    return passesAt === null ? window.seconds : secondsUntil(passesAt);
  });
  return {
    allowed,
    retryAfter: Math.max(0, ...waits),
    windows: windows.map((window, i) => {
      const taken = take && allowed ? costOf(window) : 0;
      const used = (standings[i]?.used ?? 0) + taken;
      const oldest = standings[i]?.oldest ?? (taken > 0 ? now : null);
      return {
        ...window,
        remaining: Math.max(0, window.max - used),
        resetSeconds: oldest === null ? 0 : secondsUntil(oldest + window.seconds * 1000),
        waitSeconds: waits[i] ?? 0,
      };
    }),
  };
}
