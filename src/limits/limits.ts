/**
 * One sliding window: at most `max` (of `cost` each, 1 if not said) in any `seconds`, under one key. The key is
 * `<name>:<caller>`; headers and hints show the name. The other fields are the words of a refusal (refusal.ts).
 */
export type Window = {
  readonly key: string;
  readonly max: number;
  readonly seconds: number;
  readonly cost?: number;
  /** What the window counts: "requests" if not said. */
  readonly counts?: string;
  /** Per what it counts: "IP" if not said. */
  readonly per?: string;
  /** What a refused caller can do: "Wait <seconds> seconds" if not said. `<until>` stands for the time when it passes. */
  readonly advice?: string;
};

/**
 * How a window stands after the request. `resetSeconds`: when the oldest counted request leaves it. `waitSeconds`: when
 * the request would pass this window; 0 if it passes now.
 */
export type WindowState = Window & {
  readonly remaining: number;
  readonly resetSeconds: number;
  readonly waitSeconds: number;
};

export type Verdict = {
  readonly allowed: boolean;
  /** Seconds until the refused request would pass, rounded up; 0 if it passed. */
  readonly retryAfter: number;
  readonly windows: readonly WindowState[];
};

/** Takes the endpoint's own windows, once, or throws RateLimited. A use case calls it just before its effect. */
export type Spend = () => Promise<void>;

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
