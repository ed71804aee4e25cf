import { AppError } from '../errors/errors.js';
import { scopeOfRequest } from './request-scope.js';

/** Kinds of database failure, as error codes of the API. */
export type Outage = 'DATABASE_UNAVAILABLE' | 'DATABASE_BUSY' | 'OUTCOME_UNKNOWN';

/** Why a database that answers refuses writes. */
export type Refusal = 'read-only' | 'full';

/** The refusals in words, for /ready and the log. */
export const REFUSED: Readonly<Record<Refusal, string>> = {
  'read-only': 'the database is read-only',
  full: 'the disk of the database is full',
};

/** SQLSTATEs of refused writes. The server rolls the transaction back. */
const REFUSALS: Readonly<Record<string, Refusal>> = {
  // read_only_sql_transaction: the server is a standby, or a setting makes the session read-only.
  '25006': 'read-only',
  // disk_full: the disk of the server has no space left.
  '53100': 'full',
};

/** The SQLSTATE of an error of the server, or a code of Node.js, however deeply libraries wrapped it. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : codeOf(error.cause);
}

export const refusalOf = (error: unknown): Refusal | undefined => REFUSALS[codeOf(error) ?? ''];

export const isDiskFull = (error: unknown): boolean => refusalOf(error) === 'full';

/**
 * Marks a driver error with its outage. The mark is an enumerable string property, because MikroORM copies these when it wraps the
 * error.
 */
export function markOutage(error: unknown, outage: Outage): Error {
  const marked = error instanceof Error ? error : new Error(String(error));
  if (!('outage' in marked)) Object.assign(marked, { outage });
  return marked;
}

/**
 * The API error for a database failure, even if libraries have wrapped it. OUTCOME_UNKNOWN if the request may have committed a
 * write.
 */
export function outageOf(thrown: unknown): AppError | undefined {
  let error = thrown;
  for (let depth = 0; depth < 5 && error instanceof Error; depth++) {
    if ('outage' in error || refusalOf(error) !== undefined) {
      const outage = 'outage' in error ? (error.outage as Outage) : 'DATABASE_UNAVAILABLE';
      const code = scopeOfRequest()?.writes ? 'OUTCOME_UNKNOWN' : outage;
      return new AppError(code, {}, { cause: thrown });
    }
    error = (error as { originalError?: unknown }).originalError ?? error.cause;
  }
  return undefined;
}

/**
 * Whether work failed because the database or the chain is unavailable. The outage itself is logged elsewhere (`openOutages`), so
 * such a failure needs no error in the log.
 */
export const isOutage = (thrown: unknown): boolean =>
  outageOf(thrown) !== undefined || (thrown instanceof AppError && thrown.code === 'CHAIN_UNAVAILABLE');
