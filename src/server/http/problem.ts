import { AppError } from '../../errors.js';
import { outageOf } from '../../observe/outage.js';
import { latest, limitHeaders, RateLimited, type WindowState } from '../access/rate-limit.js';

/** The error to answer for a thrown value. Anything but an AppError becomes an internal error without details. */
export function problemOf(thrown: unknown): { readonly error: AppError; readonly unexpected: boolean } {
  const error = thrown instanceof AppError ? thrown : outageOf(thrown);
  return error
    ? { error, unexpected: false }
    : { error: new AppError('INTERNAL', {}, { cause: thrown }), unexpected: true };
}

/** The body of a failure, for REST and MCP. `code` is the `extensions.code` of GraphQL. */
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

/** Headers of a failure. `announced` lists the rate limit windows that the answer already names. */
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
