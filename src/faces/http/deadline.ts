import { AppError } from '../../errors.js';

/** A request is answered within 15 s, whatever it waits for: a process under load is late by seconds. */
export const DEADLINE_MS = 12_000;

/**
 * Gives up waiting for work after a time. What the work does later is seen by nobody. While the caller has not sent its
 * whole request, its own timeout applies instead.
 */
export function withinDeadline<T>(
  work: Promise<T>,
  isReceived: () => boolean = () => true,
  milliseconds = DEADLINE_MS,
): Promise<T> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout;
    const arm = () => {
      timer = setTimeout(() => (isReceived() ? reject(new AppError('TIMED_OUT')) : arm()), milliseconds);
    };
    arm();
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
