/** One sliding window: at most `max` (of `cost` each, 1 if not said) in any `seconds`, under one key. */
export type Window = { readonly key: string; readonly max: number; readonly seconds: number; readonly cost?: number };

/** How a window stands after the request. `resetSeconds`: when the oldest counted request leaves it. */
export type WindowState = Window & { readonly remaining: number; readonly resetSeconds: number };

export type Verdict = {
  readonly allowed: boolean;
  /** Seconds until the refused request would pass, rounded up; 0 if it passed. */
  readonly retryAfter: number;
  readonly windows: readonly WindowState[];
};

/**
 * Exact sliding windows: the times of the accepted requests, not buckets. All windows of a request are taken together:
 * one that refuses makes none consume. Time is a parameter (milliseconds since the epoch).
 */
export interface Limits {
  /** Takes a place in every window, or in none. */
  take(windows: readonly Window[], now: number): Promise<Verdict>;
  /** How the windows stand, consuming nothing; `allowed` says whether take would pass. */
  peek(windows: readonly Window[], now: number): Promise<Verdict>;
  close(): Promise<void>;
}
