import { type Signal, signal } from '@preact/signals';

/** The time, once per second while the page is visible. */
export function startClock(): Signal<number> {
  const now = signal(Date.now());
  const tick = () => {
    if (!document.hidden) now.value = Date.now();
  };
  setInterval(tick, 1000);
  document.addEventListener('visibilitychange', tick);
  return now;
}
