import { texts } from '../texts.js';

/** Why a request returned no data. Views show it to the reader. */
export type Problem = {
  /**
   * offline: the browser has no network. unreachable: no answer arrived. limited: the rate limit is reached. missing: the object
   * does not exist. refused: the service answered with any other error.
   */
  readonly kind: 'offline' | 'unreachable' | 'limited' | 'missing' | 'refused';
  /** Code of the error, from the table in `src/errors/errors.ts`. Empty if no answer arrived. */
  readonly code: string;
  readonly message: string;
  /** What the reader can do next, in English. Empty if unknown. */
  readonly hint: string;
  /** Time in milliseconds when the page tries again. undefined if a retry does not help. */
  readonly retryAt: number | undefined;
};

/** Thrown by a request that returns no data. */
export class RequestError extends Error {
  constructor(readonly problem: Problem) {
    super(problem.message);
    this.name = 'RequestError';
  }
}

type GraphqlError = {
  readonly message?: string;
  readonly extensions?: { readonly code?: string; readonly hint?: string; readonly retryAfter?: number };
};

/** Maximum pause before the page tries again, in milliseconds. */
export const MAX_PAUSE_MS = 30_000;

/** Pause in milliseconds before the page tries again. It doubles with each earlier failure in a row, up to `MAX_PAUSE_MS`. */
export const pauseMs = (failures: number): number => Math.min(MAX_PAUSE_MS, 1000 * 2 ** Math.min(failures, 5));

/**
 * The problem of a failed request. An error of another class, such as that of a script, counts as a missing answer. `failures` is
 * the number of earlier failures in a row: without an answer, the pause before the next attempt grows with it.
 */
export const problemFrom = (error: unknown, failures = 0): Problem =>
  error instanceof RequestError && error.problem.kind !== 'offline' && error.problem.kind !== 'unreachable'
    ? error.problem
    : noAnswer(navigator.onLine, Date.now(), failures);

/** The problem of a request that got no answer. */
export const noAnswer = (online: boolean, now: number, failures = 0): Problem => ({
  kind: online ? 'unreachable' : 'offline',
  code: '',
  message: texts.problems[online ? 'unreachable' : 'offline'].title,
  hint: '',
  retryAt: now + pauseMs(failures),
});

/** The problem of a request that the service answered with errors. `retryAfter` is the value of the header `Retry-After`. */
export function problemOf(errors: readonly GraphqlError[], retryAfter: string | null, now: number): Problem {
  const [{ message = texts.problems.refused.title, extensions = {} } = {}] = errors;
  const { code = '', hint = '' } = extensions;
  const seconds = Number(retryAfter ?? extensions.retryAfter ?? Number.NaN);
  const retryAt = seconds > 0 ? now + seconds * 1000 : undefined;
  const kind = /_NOT_FOUND$|^CODE_UNKNOWN$/.test(code) ? 'missing' : isLimit(code) ? 'limited' : 'refused';
  const hints: Readonly<Record<string, string>> = texts.problems.hints;
  return {
    kind,
    code,
    message,
    hint: hints[code] ?? hint,
    // If the service does not say when a limit ends, the page tries again after 10 seconds.
    retryAt: kind === 'limited' ? (retryAt ?? now + 10_000) : retryAt,
  };
}

const isLimit = (code: string): boolean => code === 'RATE_LIMITED' || code === 'TOO_MANY_OPEN';
