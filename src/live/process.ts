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
    // Without Redis, no other process exists that must know which callers have written.
    async tellWriter() {},
    onWriter() {},
    async close() {
      listeners.clear();
    },
  };
}
