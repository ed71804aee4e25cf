import { AsyncLocalStorage } from 'node:async_hooks';
import { context, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import type { Logger } from 'pino';
import { AppError } from '../errors/errors.js';

/** Kinds of database failure, as error codes of the API. */
export type Outage = 'DATABASE_UNAVAILABLE' | 'DATABASE_BUSY' | 'OUTCOME_UNKNOWN';

/** Why a database that answers takes no writes. */
export type Refusal = 'read-only' | 'full';

export const REFUSED: Readonly<Record<Refusal, string>> = {
  'read-only': 'the database is read-only',
  full: 'the disk of the database is full',
};

/** SQLSTATEs of refused writes. The server rolls the transaction back. */
const REFUSALS: Readonly<Record<string, Refusal>> = {
  // read_only_sql_transaction: the server is a standby, or a setting makes the session read-only.
  '25006': 'read-only',
  // disk_full.
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

export const firstLine = (error: Error): string => (error.message || String(error)).split('\n')[0] ?? '';

/**
 * `id`: id of the request, if it has one. `writes`: number of writes that it has committed or sent for commit. `failures`: codes of
 * the failures in its answer.
 */
type Scope = { readonly id?: string; writes: number; readonly failures: Set<string> };

const scopes = new AsyncLocalStorage<Scope>();

/** Runs a request with its own scope. @default the id of the surrounding request */
export const inRequest = <T>(work: () => T, id = scopes.getStore()?.id): T =>
  scopes.run({ id, writes: 0, failures: new Set() }, work);

/** Runs work that outlasts the request that starts it, and belongs neither to its scope nor to its trace. */
export const outsideRequest = <T>(work: () => T): T => scopes.exit(() => context.with(ROOT_CONTEXT, work));

/** Fields that every log line gets: ids of the request and of the trace to which the line belongs, if any. */
export function logFields(): { id?: string; trace?: string; span?: string } {
  const id = scopes.getStore()?.id;
  const active = trace.getActiveSpan()?.spanContext();
  return {
    ...(id !== undefined && { id }),
    ...(active !== undefined && { trace: active.traceId, span: active.spanId }),
  };
}

export const scopeOfRequest = (): Scope | undefined => scopes.getStore();

/** Marks a driver error with an enumerable string property, which MikroORM copies when it wraps the error. */
export function markOutage(error: unknown, outage: Outage): Error {
  const marked = error instanceof Error ? error : new Error(String(error));
  if (!('outage' in marked)) Object.assign(marked, { outage });
  return marked;
}

/** The API error for a database failure, even if wrapped. OUTCOME_UNKNOWN if the request may have committed a write. */
export function outageOf(thrown: unknown): AppError | undefined {
  let error = thrown;
  for (let depth = 0; depth < 5 && error instanceof Error; depth++) {
    if ('outage' in error || refusalOf(error) !== undefined) {
      const outage = 'outage' in error ? (error.outage as Outage) : 'DATABASE_UNAVAILABLE';
      const code = scopes.getStore()?.writes ? 'OUTCOME_UNKNOWN' : outage;
      return new AppError(code, {}, { cause: thrown });
    }
    error = (error as { originalError?: unknown }).originalError ?? error.cause;
  }
  return undefined;
}

/** Whether work failed because a part that runs elsewhere is away. That outage has log lines of its own. */
export const isOutage = (thrown: unknown): boolean =>
  outageOf(thrown) !== undefined || (thrown instanceof AppError && thrown.code === 'CHAIN_UNAVAILABLE');

/** What an outage of a part means, for the log. */
const EFFECTS = {
  database: 'requests get 503',
  'database writes': 'stored data is served, and writes get 503',
  index: 'trades, prices and points are late',
  chain: 'stored data is served, and trades wait',
  redis: 'rate limits are off, and live events of other replicas are up to a second late',
  'read replica': 'the primary serves its reads',
};

/**
 * A part that runs elsewhere: the index on the leading replica. A database that takes no writes is there, but its writes are away.
 * Read replicas have the number of their URL.
 */
export type OuterPart = 'database' | 'database writes' | 'chain' | 'index' | 'redis' | `read replica ${number}`;

/** Parts that the look at the parts judges. */
const LOOKED_AT: readonly OuterPart[] = ['database', 'database writes', 'chain', 'index'];

export type Outages = ReturnType<typeof openOutages>;

/**
 * Logs one line when a part goes away, and one when it is back for all that had noticed. Neither belongs to a request. A Redis that
 * refuses the login has a line of its own, also if it was away before: it does not come back by itself.
 */
export function openOutages(log: Logger, now: () => number) {
  const open = new Map<OuterPart, { readonly since: number; readonly noticedBy: Set<string>; refused: boolean }>();
  const refusals = new Set<Refusal>();
  let [isClosed, isSuspected] = [false, false];
  return {
    /** Why writes were refused. The look at the database removes a reason when it does not hold any more. */
    refusals,
    begin(part: OuterPart, by: string, error: unknown): void {
      const outage = open.get(part) ?? { since: now(), noticedBy: new Set(), refused: false };
      outage.noticedBy.add(by);
      const refused = refusesLogin(error);
      if ((open.has(part) && (!refused || outage.refused)) || isClosed) return;
      open.set(part, Object.assign(outage, { refused }));
      const effect = EFFECTS[part.replace(/ \d+$/, '') as keyof typeof EFFECTS];
      const fields = { part, effect, reason: reasonOf(error) };
      outsideRequest(() =>
        refused ? log.error(fields, 'a part refuses the login') : log.warn(fields, 'a part is away'),
      );
    },
    end(part: OuterPart, by: string): void {
      const outage = open.get(part);
      if (!outage?.noticedBy.delete(by) || outage.noticedBy.size > 0 || isClosed) return;
      open.delete(part);
      const seconds = Math.round((now() - outage.since) / 1000);
      outsideRequest(() => log.info({ part, seconds }, 'the part is back'));
    },
    /** Work has failed, perhaps because a part is away: the next look at the parts shall be soon. `refusal`: of a write. */
    suspect(refusal?: Refusal): void {
      isSuspected = true;
      if (refusal !== undefined) refusals.add(refusal);
    },
    /** Whether a look at the parts is due: one is away, or suspected since the last call. */
    needsLook(): boolean {
      const isNeeded = isSuspected || LOOKED_AT.some((part) => open.has(part));
      isSuspected = false;
      return isNeeded;
    },
    /** Ends the lines, when the service closes its own connections. */
    close(): void {
      isClosed = true;
    },
  };
}

/** What the innermost cause says: libraries wrap it. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as { code?: unknown };
  if (error.cause instanceof Error) return reasonOf(error.cause);
  return error.message ? firstLine(error) : String(code ?? error);
}

/** Whether Redis refuses the password, or lacks a right of its user. */
export const refusesLogin = (error: unknown): boolean => /^(WRONGPASS|NOAUTH|NOPERM) /.test(reasonOf(error));
