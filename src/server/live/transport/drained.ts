import { pause, type Times } from '../../../times.js';

/** Maximum number of buffered bytes per client. A client that reads too slowly and exceeds it is disconnected. */
export const MAX_BUFFERED_BYTES = 1_048_576;
/** A replay sends more when the client has at most this many buffered bytes left. */
const LOW_WATER_BYTES = 65_536;
const POLL_MS = 20;

/** Waits until few bytes are buffered. Returns false after the timeout. */
export async function drained(times: Times, bufferedBytes: () => number): Promise<boolean> {
  for (let waited = 0; bufferedBytes() > LOW_WATER_BYTES; waited += POLL_MS) {
    if (waited >= times.slowReader) return false;
    await pause(times, POLL_MS);
  }
  return true;
}
