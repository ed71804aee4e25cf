/** Time and randomness. Tests replace them. */
export type Clock = {
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves after the time, and rejects when the signal aborts. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** A number from 0 up to, but excluding, 1. */
  random(): number;
  /** Multiplies the default timeouts. Tests set it, so that a slow machine does not end their requests. @default 1 */
  readonly timeoutFactor?: number | undefined;
};

/** Multiplies a timeout, in milliseconds, by the factor of the clock. */
export const timeoutOf = ({ timeoutFactor = 1 }: Clock, milliseconds: number): number => milliseconds * timeoutFactor;

export const systemClock: Clock = {
  now: Date.now,
  random: Math.random,
  sleep: (milliseconds, signal) =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const onAbort = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      }, milliseconds);
      signal?.addEventListener('abort', onAbort, { once: true });
    }),
};

/**
 * Milliseconds to wait before a retry. `attempt` counts the retries from 0: random up to a bound that doubles from 300 ms to 10 s.
 */
export const backoff = (attempt: number, { random }: Pick<Clock, 'random'>): number =>
  Math.round(random() * Math.min(10_000, 300 * 2 ** attempt));
