import type { Live } from './live.js';

/** Wake-ups within one process. */
export function processLive(): Live {
  const listeners = new Set<() => void>();
  return {
    wake() {
      for (const onWake of listeners) onWake();
    },
    listen(onWake) {
      // Each call registers a new function, because the same listener may be registered twice, and each removal removes
      // only one registration.
      const listener = () => onWake();
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    // Without Redis, no other process exists that must know which callers have written.
    async tellWriter() {},
    onWriter() {},
    async close() {
      listeners.clear();
    },
  };
}
