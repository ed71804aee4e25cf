import { AppError } from '../errors.js';

/** The body of a failure, for whatever was thrown. What is not an AppError says nothing of itself. */
export function problemOf(thrown: unknown): { readonly error: AppError; readonly unexpected: boolean } {
  return thrown instanceof AppError
    ? { error: thrown, unexpected: false }
    : { error: new AppError('INTERNAL', {}, { cause: thrown }), unexpected: true };
}

export function problemBody(error: AppError): Record<string, unknown> {
  return {
    success: false,
    error: error.message,
    hint: error.hint,
    ...(error.status === 429 ? { retryAfter: error.retryAfter } : {}),
    ...error.details,
  };
}
