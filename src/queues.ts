/** Runs one task at a time, in the order of the calls. */
export type SerialQueue = <T>(task: () => Promise<T>) => Promise<T>;

/** Runs one task at a time. Calls during a run share it, and cause one more run after it. */
export type CoalescingQueue = (task: () => Promise<void>) => Promise<void>;

export function serialQueue(): SerialQueue {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const run = last.catch(() => {}).then(task);
    last = run;
    return run;
  };
}

export function coalescingQueue(): CoalescingQueue {
  let running: Promise<void> | undefined;
  let again = false;
  return (task) => {
    if (running) {
      again = true;
      return running;
    }
    const run = async () => {
      do {
        again = false;
        await task();
      } while (again);
    };
    running = run().finally(() => {
      running = undefined;
    });
    return running;
  };
}
