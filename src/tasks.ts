import type { Times } from './config/timeouts.js';
import { AppError } from './errors/errors.js';

/** Calls `create` once; all callers share the result. A failure is not stored, so the next call tries again. */
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
export function serialQueue(): <T>(task: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const run = last.catch(() => {}).then(task);
    last = run;
    return run;
  };
}

/** Runs one task at a time. All calls during a run share a single run after it. */
export function coalescingQueue(): (task: () => Promise<void>) => Promise<void> {
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

/** Resolves after the time, or as soon as the signal aborts. */
export const pause = (times: Times, milliseconds: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = () => {
      cancel();
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const cancel = times.after(milliseconds, end);
    if (signal?.aborted) end();
    signal?.addEventListener('abort', end);
  });

/** Calls `act` at an interval until the returned function is called. */
export function every(times: Times, milliseconds: number, act: () => void): () => void {
  let cancel = () => {};
  const wait = () => {
    cancel = times.after(milliseconds, () => {
      wait();
      act();
    });
  };
  wait();
  return () => cancel();
}

/** The result of the work, or undefined if the time passes first. A later result is ignored. */
export function within<T>(times: Times, milliseconds: number, work: Promise<T>): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const cancel = times.after(milliseconds, () => resolve(undefined));
    work.then(resolve, reject).finally(cancel);
  });
}

/**
 * The result of the work. Rejects with TIMED_OUT after `times.request`. If the client is then still sending its request
 * (`isReceived` returns false), it waits for the same time again: the server has another timeout for receiving (`requestBody`).
 */
export function withinDeadline<T>(times: Times, work: Promise<T>, isReceived: () => boolean = () => true): Promise<T> {
  return new Promise((resolve, reject) => {
    let cancel: () => void;
    const arm = () => {
      cancel = times.after(times.request, () => (isReceived() ? reject(new AppError('TIMED_OUT')) : arm()));
    };
    arm();
    work.then(resolve, reject).finally(() => cancel());
  });
}

export type Queues = {
  /** Runs the index after a hint that the chain has new events. Hints that arrive during a run share the next run. */
  hints(run: () => Promise<void>): Promise<void>;
  /** Looks up submitted trades that the index does not contain, one at a time. */
  recoveries<T>(lookup: () => Promise<T>): Promise<T>;
};

export const openQueues = (): Queues => ({ hints: coalescingQueue(), recoveries: serialQueue() });
