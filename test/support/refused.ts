import { AppError } from '../../src/errors.js';

/** The error of work that fails. undefined if it succeeds. */
export const thrownBy = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

/** The message of the error of work that fails, or `accepted`. */
export const outcomeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'accepted',
    ({ message }: Error) => message,
  );

/** The error by which a rule refuses its input. It must refuse it. */
export function refusedBy(rule: () => unknown): AppError {
  try {
    rule();
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error('the rule refuses nothing');
}

/** The code of the error by which a rule refuses its input, or `accepted`. */
export function codeOf(rule: () => unknown): string {
  try {
    rule();
  } catch (error) {
    if (error instanceof AppError) return error.code;
    throw error;
  }
  return 'accepted';
}
