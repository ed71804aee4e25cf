import type { Logger } from 'pino';
import type { Refusal } from './database-errors.js';
import { outsideRequest } from './request-scope.js';

/** Consequences of the outage of each part, for the log. */
const EFFECTS = {
  database: 'requests get 503',
  'database writes': 'stored data is served, and writes get 503',
  index: 'trades, prices and points are late',
  chain: 'stored data is served, and trades wait',
  redis: 'rate limits are off, and live events of other replicas are up to a second late',
  'read replica': 'the primary serves its reads',
};

/**
 * A part that can become unavailable. `database writes`: the database answers, but refuses writes. `index`: the index on the
 * leading replica. A read replica is named by the number of its URL in DATABASE_READ_URLS.
 */
export type OuterPart = 'database' | 'database writes' | 'chain' | 'index' | 'redis' | `read replica ${number}`;

/** Parts that the regular check of the parts looks at (`stateNow` in src/features/operator/state.ts). */
const LOOKED_AT: readonly OuterPart[] = ['database', 'database writes', 'chain', 'index'];

export type Outages = {
  /**
   * Reasons why the database refuses writes. The check of the database (`stateOfDatabase`) removes a reason that no longer holds.
   */
  readonly refusals: Set<Refusal>;
  /**
   * Reports that a part is unavailable. `by` names what noticed it, such as the rate limits. The outage lasts until everything that
   * noticed it has called `end`.
   */
  begin(part: OuterPart, by: string, error: unknown): void;
  end(part: OuterPart, by: string): void;
  /**
   * Reports that work has failed, perhaps because a part is unavailable, so that the parts are checked soon. `refusal` says why a
   * write was refused.
   */
  suspect(refusal?: Refusal): void;
  /** Whether the parts should be checked now: one is unavailable, or `suspect` was called since the last call of this function. */
  needsLook(): boolean;
  /** Stops the log lines. The service calls it before it closes its connections, so that their ends are not logged as outages. */
  close(): void;
};

/**
 * Logs one line when a part becomes unavailable, and one when everything that noticed the outage has found the part available
 * again. Neither log line belongs to a request. If Redis refuses the login, this is logged as well, even during an outage of
 * Redis, because such a Redis does not come back by itself.
 */
export function openOutages(log: Logger, now: () => number): Outages {
  const open = new Map<OuterPart, { readonly since: number; readonly noticedBy: Set<string>; refused: boolean }>();
  const refusals = new Set<Refusal>();
  let [isClosed, isSuspected] = [false, false];
  return {
    refusals,
    begin(part, by, error) {
      const outage = open.get(part) ?? { since: now(), noticedBy: new Set(), refused: false };
      outage.noticedBy.add(by);
      const refused = refusesLogin(error);
      if ((open.has(part) && (!refused || outage.refused)) || isClosed) return;
      open.set(part, Object.assign(outage, { refused }));
      const effect = EFFECTS[part.replace(/ \d+$/, '') as keyof typeof EFFECTS];
      const fields = { part, effect, reason: reasonOf(error) };
      outsideRequest(() => (refused ? log.error(fields, 'a part refuses the login') : log.warn(fields, 'a part is unavailable')));
    },
    end(part, by) {
      const outage = open.get(part);
      if (!outage?.noticedBy.delete(by) || outage.noticedBy.size > 0 || isClosed) return;
      open.delete(part);
      const seconds = Math.round((now() - outage.since) / 1000);
      outsideRequest(() => log.info({ part, seconds }, 'the part is back'));
    },
    suspect(refusal) {
      isSuspected = true;
      if (refusal !== undefined) refusals.add(refusal);
    },
    needsLook() {
      const isNeeded = isSuspected || LOOKED_AT.some((part) => open.has(part));
      isSuspected = false;
      return isNeeded;
    },
    close() {
      isClosed = true;
    },
  };
}

/** The message of the innermost cause, because libraries wrap the error that says what happened. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as { code?: unknown };
  if (error.cause instanceof Error) return reasonOf(error.cause);
  return error.message ? firstLine(error) : String(code ?? error);
}

/** Whether Redis refuses the password, or the user of REDIS_URL lacks a right. */
export const refusesLogin = (error: unknown): boolean => /^(WRONGPASS|NOAUTH|NOPERM) /.test(reasonOf(error));

export const firstLine = (error: Error): string => (error.message || String(error)).split('\n')[0] ?? '';
