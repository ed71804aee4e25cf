import { AsyncLocalStorage } from 'node:async_hooks';
import { AppError } from './errors.js';

/** Kinds of database failure, as error codes of the API. */
export type Outage = 'DATABASE_UNAVAILABLE' | 'DATABASE_BUSY' | 'OUTCOME_UNKNOWN';

/** `writes`: number of writes that the request has committed or sent for commit. */
type Scope = { writes: number };

const scopes = new AsyncLocalStorage<Scope>();

/** Runs a request with its own scope. */
export const inRequest = <T>(work: () => T): T => scopes.run({ writes: 0 }, work);

/** Scope of the current request. undefined outside of a request. */
export const scopeOfRequest = (): Scope | undefined => scopes.getStore();

/**
 * Marks a driver error with its kind. The mark is an enumerable string property, because MikroORM copies those when it wraps
 * errors.
 */
export function markOutage(error: unknown, outage: Outage): Error {
  const marked = error instanceof Error ? error : new Error(String(error));
  if (!('outage' in marked)) Object.assign(marked, { outage });
  return marked;
}

/**
 * The API error for a database failure, however deeply libraries wrapped it. If the request may have committed a write, the
 * code is OUTCOME_UNKNOWN. undefined for other errors.
 */
export function outageOf(thrown: unknown): AppError | undefined {
  let error = thrown;
  for (let depth = 0; depth < 5 && error instanceof Error; depth++) {
    if ('outage' in error) {
      const code = scopes.getStore()?.writes ? 'OUTCOME_UNKNOWN' : (error.outage as Outage);
      return new AppError(code, {}, { cause: thrown });
    }
    error = (error as { originalError?: unknown }).originalError ?? error.cause;
  }
  return undefined;
}
