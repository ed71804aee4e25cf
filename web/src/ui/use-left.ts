import { useApp } from '../app-context.js';

/**
 * Milliseconds until a time, at each second of the clock. The clock stands up to a second behind, so a countdown that began with
 * its time would start a second too high.
 */
export function useLeft(until: number | undefined): number {
  const { now } = useApp();
  const present = Math.max(now.value, Date.now());
  return until === undefined ? 0 : Math.max(0, until - present);
}
