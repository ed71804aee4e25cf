import { AppError, fillTemplate } from '../errors/errors.js';

/**
 * One sliding window of a rate limit: at most `max` cost in any `seconds` per key. The key is `<name>:<caller>`; headers
 * and hints show the name. `counts`, `per` and `advice` are words for the hint of a refusal.
 */
export type Window = {
  readonly key: string;
  readonly max: number;
  readonly seconds: number;
  /** Cost of the request. @default 1 */
  readonly cost?: number;
  /** Unit of `max`. @default "requests" */
  readonly counts?: string;
  /** Scope of the limit. @default "IP" */
  readonly per?: string;
  /** Advice to a refused caller. `<until>` is replaced by the retry time. @default "Wait <seconds> seconds" */
  readonly advice?: string;
};

/**
 * State of a window after the request. `resetSeconds`: seconds until the oldest counted request leaves the window.
 * `waitSeconds`: seconds until the request would pass the window; 0 if it passes now.
 */
export type WindowState = Window & {
  readonly remaining: number;
  readonly resetSeconds: number;
  readonly waitSeconds: number;
};

export type Verdict = {
  readonly allowed: boolean;
  /** Seconds until a refused request would pass, rounded up. 0 if it is allowed. */
  readonly retryAfter: number;
  readonly windows: readonly WindowState[];
};

/**
 * Exact sliding windows: they store the times of accepted requests, not buckets. All windows of a request are taken
 * atomically: if one refuses, none consumes. Times are in milliseconds since the epoch.
 */
export interface Limits {
  /** Consumes the cost in every window, or in none. */
  take(windows: readonly Window[], now: number): Promise<Verdict>;
  /** Reads the state of the windows and consumes nothing. `allowed` tells whether `take` would succeed. */
  peek(windows: readonly Window[], now: number): Promise<Verdict>;
  /** Whether the store that the replicas share answers. Absent if the limits are in the process. */
  isUp?(): Promise<boolean>;
  /**
   * Checks the login at the shared store. Throws the store's error if it refuses the login, or if its user lacks a right. An
   * unavailable store is no error here.
   */
  login?(): Promise<void>;
  close(): Promise<void>;
}

/** State of a window before the request. */
export type WindowUsage = {
  readonly used: number;
  /** Time of the oldest counted request. null if none counts. */
  readonly oldest: number | null;
  /** Time when the request fits. `now` if it fits now; null if its cost exceeds the maximum. */
  readonly passesAt: number | null;
};

/**
 * Time for which a key is stored after its window is empty. If a clock steps back, or is behind the clocks of other replicas, by
 * less than this time, the newest stored time shows it and counts in place of the clock. So expired requests do not count again.
 */
export const LINGER_MS = 60_000;

export const windowCost = ({ cost = 1 }: Window): number => cost;

export const fitsAll = (usages: readonly WindowUsage[], now: number): boolean => usages.every(({ passesAt }) => passesAt === now);

/** Computes the verdict. After `take`, the returned windows include the request; after `peek`, they do not. */
export function verdict(windows: readonly Window[], usages: readonly WindowUsage[], now: number, take: boolean): Verdict {
  const allowed = fitsAll(usages, now);
  const secondsUntil = (time: number) => Math.ceil((time - now) / 1000);
  const states = windows.map((window, i) => {
    const { used, oldest, passesAt } = usages[i] as WindowUsage;
    const taken = take && allowed ? windowCost(window) : 0;
    const first = oldest ?? (taken > 0 ? now : null);
    // Redis deletes a key this long after its last request, even if the clock has stepped back. So no wait is longer.
    const longest = window.seconds + LINGER_MS / 1000;
    return {
      ...window,
      remaining: Math.max(0, window.max - used - taken),
      resetSeconds: first === null ? 0 : secondsUntil(first + window.seconds * 1000),
      waitSeconds: passesAt === null ? window.seconds : Math.min(longest, secondsUntil(passesAt)),
    };
  });
  return { allowed, retryAfter: Math.max(0, ...states.map(({ waitSeconds }) => waitSeconds)), windows: states };
}

/** The error for a request that a window refused. It carries all windows, so that every API can name them. */
export class RateLimited extends AppError {
  /** All windows of the request, including those that would pass. */
  readonly windows: readonly WindowState[];

  constructor({ retryAfter: seconds, windows }: Omit<Verdict, 'allowed'>, now: Date) {
    const [longest] = windows.toSorted((a, b) => b.waitSeconds - a.waitSeconds);
    const until = new Date(now.getTime() + seconds * 1000).toISOString();
    const advice = fillTemplate(longest?.advice ?? 'Wait <seconds> seconds', { seconds, until });
    super('RATE_LIMITED', { seconds, limit: longest ? limitText(longest) : '', advice });
    this.windows = windows;
  }

  get refusedBy(): string[] {
    return this.windows.filter(({ waitSeconds }) => waitSeconds > 0).map(windowName);
  }
}

/** A limit in words, such as "20 requests per minute per IP". */
export const limitText = ({ max, seconds, counts = 'requests', per = 'IP' }: Omit<Window, 'key'>): string =>
  `${max} ${counts} per ${spanText(seconds)} per ${per}`;

function spanText(seconds: number): string {
  if (seconds === 60) return 'minute';
  if (seconds === 3600) return 'hour';
  if (seconds % 3600 === 0) return `${seconds / 3600} hours`;
  return seconds % 60 === 0 ? `${seconds / 60} minutes` : `${seconds} seconds`;
}

/** Name of a window: the part of its key before the caller. */
export const windowName = ({ key }: Pick<Window, 'key'>): string => key.split(':', 1)[0] ?? key;
