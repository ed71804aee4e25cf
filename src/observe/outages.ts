import type { Logger } from 'pino';
import type { Refusal } from './database-errors.js';
import { outsideRequest } from './request-scope.js';

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
 * A part that runs elsewhere: the index on the leading replica. A database that takes no writes is there, but its writes are
 * unavailable. Read replicas have the number of their URL.
 */
export type OuterPart = 'database' | 'database writes' | 'chain' | 'index' | 'redis' | `read replica ${number}`;

/** Parts that the look at the parts judges. */
const LOOKED_AT: readonly OuterPart[] = ['database', 'database writes', 'chain', 'index'];

export type Outages = {
  /** Why writes were refused. The look at the database removes a reason when it does not hold any more. */
  readonly refusals: Set<Refusal>;
  begin(part: OuterPart, by: string, error: unknown): void;
  end(part: OuterPart, by: string): void;
  /** Work has failed, perhaps because a part is unavailable: the next look at the parts shall be soon. `refusal`: of a write. */
  suspect(refusal?: Refusal): void;
  /** Whether a look at the parts is due: one is unavailable, or suspected since the last call. */
  needsLook(): boolean;
  /** Ends the lines, when the service closes its own connections. */
  close(): void;
};

/**
 * Logs one line when a part becomes unavailable, and one when it is back for all that had noticed. Neither belongs to a request. A
 * Redis that refuses the login has a line of its own, also if it was unavailable before: it does not come back by itself.
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

/** What the innermost cause says: libraries wrap it. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as { code?: unknown };
  if (error.cause instanceof Error) return reasonOf(error.cause);
  return error.message ? firstLine(error) : String(code ?? error);
}

/** Whether Redis refuses the password, or lacks a right of its user. */
export const refusesLogin = (error: unknown): boolean => /^(WRONGPASS|NOAUTH|NOPERM) /.test(reasonOf(error));

export const firstLine = (error: Error): string => (error.message || String(error)).split('\n')[0] ?? '';
