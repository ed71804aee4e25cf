import { problemFrom } from './problem.js';

/**
 * Runs `act` after a pause: once for all calls of `start` within the pause. If `act` fails, it runs again when the network or the
 * rate limit allows it. Nothing starts after `end`.
 */
export function later(act: () => Promise<void>, pauseMs: number) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOpen = true;
  const wait = (milliseconds: number, failures: number) => {
    if (timer !== undefined || !isOpen) return;
    timer = setTimeout(async () => {
      timer = undefined;
      try {
        await act();
      } catch (error) {
        const { retryAt } = problemFrom(error, failures);
        if (retryAt !== undefined) wait(Math.max(pauseMs, retryAt - Date.now()), failures + 1);
      }
    }, milliseconds);
  };
  const end = () => {
    isOpen = false;
    clearTimeout(timer);
  };
  return { start: () => wait(pauseMs, 0), end };
}
