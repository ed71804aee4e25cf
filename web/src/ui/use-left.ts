import { useApp } from '../app-context.js';

/**
 * Milliseconds until a time, updated once per second. `now` is up to a second late, so the real time is read as well: otherwise a
 * new countdown would start a second too high.
 */
export function useLeft(until: number | undefined): number {
  const { now } = useApp();
  const present = Math.max(now.value, Date.now());
  return until === undefined ? 0 : Math.max(0, until - present);
}
