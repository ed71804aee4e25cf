/** Runs one task at a time, in the order of the calls. */
export type SerialQueue = <T>(task: () => Promise<T>) => Promise<T>;

/** Runs one task at a time. Calls during a run share one more run after it. */
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
  const queue = serialQueue();
  let waiting: Promise<void> | undefined;
  return (task) => {
    waiting ??= queue(() => {
      waiting = undefined;
      return task();
    });
    return waiting;
  };
}
