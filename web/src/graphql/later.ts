import { problemFrom } from './problem.js';

/**
 * Each call of `start` runs `act` after a pause: once for all calls within the pause, and never twice at the same time. If `act`
 * fails, it runs again when the network or the rate limit allows it. After `end`, nothing starts any more.
 */
export function later(act: () => Promise<void>, pauseMs: number) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  // `isAsked` tells that `start` was called while `act` ran, so `act` must run once more.
  let [isOpen, isRunning, isAsked] = [true, false, false];
  const wait = (milliseconds: number, failures: number): void => {
    if (timer !== undefined || !isOpen) return;
    timer = setTimeout(() => void run(failures), milliseconds);
  };
  const run = async (failures: number) => {
    timer = undefined;
    [isRunning, isAsked] = [true, false];
    let next: readonly [pause: number, failures: number] | undefined;
    try {
      await act();
    } catch (error) {
      const { retryAt } = problemFrom(error, failures);
      if (retryAt !== undefined) next = [Math.max(pauseMs, retryAt - Date.now()), failures + 1];
    }
    isRunning = false;
    if (next) wait(...next);
    else if (isAsked) wait(pauseMs, 0);
  };
  const start = (): void => {
    if (isRunning) isAsked = true;
    else wait(pauseMs, 0);
  };
  const end = (): void => {
    isOpen = false;
    clearTimeout(timer);
  };
  return { start, end };
}
