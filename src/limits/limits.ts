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

/** Takes the windows of the operation once, or throws RateLimited. */
export type Spend = () => Promise<void>;

/**
 * Exact sliding windows: they store the times of accepted requests, not buckets. All windows of a request are taken
 * atomically: if one refuses, none consumes. Times are in milliseconds since the epoch.
 */
export interface Limits {
  /** Consumes the cost in every window, or in none. */
  take(windows: readonly Window[], now: number): Promise<Verdict>;
  /** Reads the state of the windows and consumes nothing. `allowed` tells whether `take` would succeed. */
  peek(windows: readonly Window[], now: number): Promise<Verdict>;
  /** Whether the store that the replicas share answers. Absent if there is none. */
  isUp?(): Promise<boolean>;
  close(): Promise<void>;
}
