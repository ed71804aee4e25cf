import type { Logger } from 'pino';
import { AppError } from '../../errors/errors.js';
import { RateLimited, type WindowState } from '../../limits/limits.js';
import { outageOf } from '../../observe/database-errors.js';
import { latest, limitHeaders } from '../rate-limits.js';

/** The error to answer for a thrown value. Anything but an AppError or a database failure is unexpected, and becomes INTERNAL. */
export function problemOf(thrown: unknown): { readonly error: AppError; readonly unexpected: boolean } {
  const error = thrown instanceof AppError ? thrown : outageOf(thrown);
  return error ? { error, unexpected: false } : { error: new AppError('INTERNAL', {}, { cause: thrown }), unexpected: true };
}

/** The body of a failure, for REST and MCP. `code` is the same as `extensions.code` in GraphQL. */
export function problemBody(error: AppError): Record<string, unknown> {
  return {
    success: false,
    error: error.message,
    hint: error.hint,
    code: error.code,
    ...(error.status === 429 ? { retryAfter: error.retryAfter } : {}),
    ...error.details,
  };
}

/** Headers of a failure. `announced`: rate limit windows that the headers of the answer already name. */
export function problemHeaders(error: AppError, announced: readonly WindowState[] = []): Record<string, string> {
  return {
    ...(error.retryAfter === undefined ? {} : { 'Retry-After': String(error.retryAfter) }),
    ...(error.code === 'METHOD_NOT_ALLOWED' ? { Allow: String(error.params.allow) } : {}),
    ...(error.code === 'TOO_MANY_OPEN' ? openHeaders(error) : {}),
    ...(error instanceof RateLimited ? limitHeaders(latest(announced, error.windows)) : {}),
  };
}

/** A limit on concurrent connections has no time window, so its policy has no `w`. */
const openHeaders = ({ params: { what, max, seconds } }: AppError): Record<string, string> => ({
  'RateLimit-Policy': `"open-${what}";q=${max}`,
  RateLimit: `"open-${what}";r=0;t=${seconds}`,
});

/** What the log has of an error: first and last characters of each text, stack frames, and causes. */
const HEAD = 200;
const TAIL = 300;
const MAX_FRAMES = 12;
const MAX_CAUSES = 3;

/**
 * Logs an error that nobody expected. The log line has a bounded length and a fixed set of fields, because drivers put SQL
 * statements and values into other fields of an error.
 */
export function logUnexpected(log: Logger, thrown: unknown, fields: Readonly<Record<string, unknown>> = {}): void {
  // The field is not named `err`, because pino would apply its own serializer.
  log.error({ ...fields, error: described(thrown) }, 'unexpected error');
}

/** What the log shows of an error, with bounded length. Fields in which drivers repeat SQL statements and values are left out. */
export function described(thrown: unknown, causes = MAX_CAUSES): Record<string, unknown> {
  if (!(thrown instanceof Error)) return { type: typeof thrown, message: shortened(String(thrown)) };
  const { name, message, stack = '', cause, code } = thrown as Error & { code?: unknown };
  return {
    type: name,
    message: shortened(message),
    ...(typeof code === 'string' ? { code: shortened(code) } : {}),
    // Skips the text above the frames, which repeats the message.
    stack: stack
      .split('\n')
      .filter((line) => line.startsWith('    at '))
      .slice(0, MAX_FRAMES)
      .map(shortened)
      .join('\n'),
    ...(cause !== undefined && causes > 0 ? { cause: described(cause, causes - 1) } : {}),
  };
}

/** Shortens a message in its middle: database errors start with the statement and end with the reason. */
const shortened = (text: string): string => (text.length <= HEAD + TAIL ? text : `${text.slice(0, HEAD)} … ${text.slice(-TAIL)}`);
