/** Calls `create` once; all callers share the result. A failure is not cached. */
export function once<T>(create: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => {
    result ??= create().catch((error: unknown) => {
      result = undefined;
      throw error;
    });
    return result;
  };
}

/** Runs one task at a time, in the order of the calls. */
export function serialQueue() {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(task: () => Promise<T>): Promise<T> => {
    const run = last.catch(() => {}).then(task);
    last = run;
    return run;
  };
}

/** Runs one task at a time. Calls during a run share one more run after it. */
export function coalescingQueue() {
  const queue = serialQueue();
  let waiting: Promise<void> | undefined;
  return (task: () => Promise<void>): Promise<void> => {
    waiting ??= queue(() => {
      waiting = undefined;
      return task();
    });
    return waiting;
  };
}

export type Queues = ReturnType<typeof openQueues>;

export const openQueues = () => ({
  /** Runs of the index that start after a hint that the chain has new events. */
  hints: coalescingQueue(),
  /** Lookups of submitted trades that the index does not contain. */
  recoveries: serialQueue(),
});
