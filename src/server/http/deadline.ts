import { AppError } from '../../errors.js';
import type { Times } from '../../times.js';

/**
 * Rejects if the work takes longer than the deadline. A later result of the work is ignored. While the client is still
 * sending its request, the request timeout applies instead.
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
