import type { Logger } from 'pino';

/** Callbacks that stop the started parts, in the order of their start. */
export type Stops = (() => Promise<unknown> | unknown)[];

/** Stops the parts in reverse order. An error is logged, and the other parts are stopped nevertheless. */
export async function stopAll(stops: Stops, log: Logger): Promise<void> {
  for (const stop of stops.splice(0).reverse()) {
    try {
      await stop();
    } catch (error) {
      log.error({ err: error }, 'a part did not stop cleanly');
    }
  }
}

/** Rejects when the signal aborts. Without a signal it never settles. */
export function untilAborted(signal: AbortSignal | undefined): Promise<never> {
  const aborted = new Promise<never>((_, reject) => {
    const stop = () => reject(new Error('the start was interrupted'));
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
  aborted.catch(() => {});
  return aborted;
}
