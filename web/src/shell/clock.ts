import { type Signal, signal } from '@preact/signals';

/** Returns a signal with the time in milliseconds. It changes once per second while the page is visible. */
export function startClock(): Signal<number> {
  const now = signal(Date.now());
  const tick = () => {
    if (!document.hidden) now.value = Date.now();
  };
  setInterval(tick, 1000);
  document.addEventListener('visibilitychange', tick);
  return now;
}
