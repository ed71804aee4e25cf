import type { Live } from './live.js';

/** For one process. */
export function processLive(): Live {
  const listeners = new Set<() => void>();
  return {
    wake() {
      for (const heard of listeners) heard();
    },
    listen(heard) {
      // A function of its own for each call, so that each ends for itself.
      const once = () => heard();
      listeners.add(once);
      return () => listeners.delete(once);
    },
    async close() {
      listeners.clear();
    },
  };
}
