import { AsyncLocalStorage } from 'node:async_hooks';
import { AppError } from './errors.js';

/** What a failure of the database means for the caller. */
export type Outage = 'DATABASE_UNAVAILABLE' | 'DATABASE_BUSY' | 'OUTCOME_UNKNOWN';

/** `writes`: what the request has committed, or has sent to be committed. */
type Scope = { writes: number };

const scopes = new AsyncLocalStorage<Scope>();

/** Runs one request with a scope of its own. */
export const inRequest = <T>(work: () => T): T => scopes.run({ writes: 0 }, work);

/** The scope of the request that this code runs for, if it is one. */
export const scopeOfRequest = (): Scope | undefined => scopes.getStore();

/**
 * Marks the error of a driver with what it means. The mark is a property with a string as its name, because MikroORM
 * copies those when it wraps the error.
 */
export function markOutage(error: unknown, outage: Outage): Error {
  const marked = error instanceof Error ? error : new Error(String(error));
  if (!('outage' in marked)) Object.assign(marked, { outage });
  return marked;
}

/**
 * The answer to an error that the database's absence caused, however deep libraries have wrapped it. A request that may
 * have committed something must not say that nothing has changed.
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
