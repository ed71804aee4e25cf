/** State of one window of the service's rate limits, as an answer reported it. */
export type RateLimit = {
  /** Name of the window, such as `global`. */
  readonly name: string;
  /** Maximum number of requests in the window. */
  readonly limit: number;
  /** Number of requests that the window still accepts. */
  readonly remaining: number;
  /** Seconds until the window accepts more. */
  readonly reset: number;
};

/** Of the rate limit windows in an answer, the one that accepts the fewest requests. undefined if the answer has none. */
export function rateLimitOf(headers: { get(name: string): string | null }): RateLimit | undefined {
  const windows = [...(headers.get('ratelimit') ?? '').matchAll(/"([^"]*)";r=(\d+);t=(\d+)/g)];
  const policies = [...(headers.get('ratelimit-policy') ?? '').matchAll(/"([^"]*)";q=(\d+)/g)];
  const limits = new Map(policies.map(([, name, limit]) => [name, Number(limit)]));
  return windows
    .map(([, name = '', remaining, reset]) => ({
      name,
      limit: limits.get(name) ?? Number.NaN,
      remaining: Number(remaining),
      reset: Number(reset),
    }))
    .sort((a, b) => a.remaining - b.remaining || b.reset - a.reset)[0];
}
