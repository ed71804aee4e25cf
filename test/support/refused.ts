import { AppError } from '../../src/errors/errors.js';

/** The error of work that fails. undefined if it succeeds. */
export const thrownBy = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

/** The message of the error of work that fails, or `accepted`. */
export const outcomeOf = async (work: Promise<unknown>): Promise<string> =>
  ((await thrownBy(work)) as Error | undefined)?.message ?? 'accepted';

function refusalOf(rule: () => unknown): AppError | undefined {
  try {
    rule();
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

/** The error by which a rule refuses its input. It must refuse it. */
export function refusedBy(rule: () => unknown): AppError {
  const refusal = refusalOf(rule);
  if (refusal === undefined) throw new Error('the rule refuses nothing');
  return refusal;
}

/** The code of the error by which a rule refuses its input, or `accepted`. */
export const codeOf = (rule: () => unknown): string => refusalOf(rule)?.code ?? 'accepted';
