import { AppError } from '../../errors.js';

/** Every request is answered within 15 s. The deadline is shorter because a process under load fires timers seconds late. */
export const DEADLINE_MS = 12_000;

/**
 * Rejects if the work takes longer than the deadline. A later result of the work is ignored. While the client is still
 * sending its request, the request timeout applies instead.
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
