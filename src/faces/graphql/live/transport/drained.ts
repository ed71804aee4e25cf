import { setTimeout as sleep } from 'node:timers/promises';

/** A client that has so many bytes to take is cut off: nothing is kept for ever. */
export const MOST_WAITING = 1_048_576;
/** Of what it has missed, a client is sent more when it has taken all but this. */
const FEW = 65_536;
/** It may take its time, but not for ever. */
const PATIENCE_MS = 30_000;
const LOOK_MS = 20;

/** Waits until few bytes are waiting; false if that takes too long. */
export async function drained(waiting: () => number): Promise<boolean> {
  for (let waited = 0; waiting() > FEW; waited += LOOK_MS) {
    if (waited >= PATIENCE_MS) return false;
    await sleep(LOOK_MS);
  }
  return true;
}
