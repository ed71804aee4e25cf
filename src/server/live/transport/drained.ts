import type { Times } from '../../../config/timeouts.js';
import { pause } from '../../../tasks.js';

/** Maximum number of buffered bytes per client. A client that exceeds it is disconnected. */
export const MAX_BUFFERED_BYTES = 1_048_576;
/** A client with more buffered bytes gets no further events until it has read. */
export const FULL_BYTES = 65_536;
const POLL_MS = 20;

/** Waits until the client has read. Returns false if it has not after the timeout. */
export async function drained(times: Times, bufferedBytes: () => number): Promise<boolean> {
  const since = times.now();
  while (bufferedBytes() > FULL_BYTES) {
    if (times.now() - since >= times.slowReader) return false;
    await pause(times, POLL_MS);
  }
  return true;
}
