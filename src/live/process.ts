import type { Live } from './live.js';

/** Wake-ups within one process. */
export function processLive(): Live {
  const listeners = new Set<() => void>();
  return {
    wake() {
      for (const onWake of listeners) onWake();
    },
    listen(onWake) {
      listeners.add(onWake);
      return () => listeners.delete(onWake);
    },
    async close() {
      listeners.clear();
    },
  };
}
