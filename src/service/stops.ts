import type { Logger } from 'pino';

/** How to stop the parts that have started, in the order of their start. */
export type Stops = (() => Promise<unknown> | unknown)[];

/** Stops the parts in the reverse order. One that fails does not keep the others from stopping. */
export async function stopAll(stops: Stops, log: Logger): Promise<void> {
  for (const stop of stops.splice(0).reverse()) {
    try {
      await stop();
    } catch (error) {
      log.error({ err: error }, 'a part did not stop cleanly');
    }
  }
}

/** Rejects when the signal comes; never, without one. */
export function untilAborted(signal: AbortSignal | undefined): Promise<never> {
  const aborted = new Promise<never>((_, reject) => {
    const stop = () => reject(new Error('the start was interrupted'));
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
  aborted.catch(() => {});
  return aborted;
}
