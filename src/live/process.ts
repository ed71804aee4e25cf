import type { Live } from './live.js';

/** Wake-ups within one process. */
export function processLive(): Live {
  const listeners = new Set<() => void>();
  return {
    wake() {
      for (const heard of listeners) heard();
    },
    listen(heard) {
      // A new function per call: the same listener may be registered twice, and each removal removes one.
      const once = () => heard();
      listeners.add(once);
      return () => listeners.delete(once);
    },
    async close() {
      listeners.clear();
    },
  };
}
