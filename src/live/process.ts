import type { Live } from './live.js';

/** Wake-ups within one process. */
export function processLive(): Live {
  const listeners = new Set<() => void>();
  return {
    wake() {
      for (const onWake of listeners) onWake();
    },
    listen(onWake) {
      // A new function per call: the same listener may be registered twice, and each removal removes one.
      const listener = () => onWake();
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async close() {
      listeners.clear();
    },
  };
}
