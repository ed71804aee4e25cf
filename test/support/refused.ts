import { AppError } from '../../src/errors/errors.js';

/** The error with which `work` fails. undefined if it succeeds. */
export const thrownBy = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

/** The message of the error with which `work` fails, or `accepted` if it succeeds. */
export const outcomeOf = async (work: Promise<unknown>): Promise<string> =>
  ((await thrownBy(work)) as Error | undefined)?.message ?? 'accepted';

/** The AppError of a rule. undefined if the rule accepts its input. Any other error is a bug of the rule, so it is thrown. */
function refusalOf(rule: () => unknown): AppError | undefined {
  try {
    rule();
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

/** The error with which a rule refuses its input. Throws if the rule accepts the input. */
export function refusedBy(rule: () => unknown): AppError {
  const refusal = refusalOf(rule);
  if (refusal === undefined) throw new Error('the rule refuses nothing');
  return refusal;
}

/** The code of the error with which a rule refuses its input, or `accepted`. */
export const codeOf = (rule: () => unknown): string => refusalOf(rule)?.code ?? 'accepted';
