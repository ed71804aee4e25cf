import pg, { type PoolClient, type QueryConfig, type QueryResult } from 'pg';
import { markOutage, type Outage, scopeOfRequest } from '../../outage.js';
import { PROBES, REQUEST, type TimeLimits } from './time-limits.js';
import { WATCHED_ABOVE_MS, type Watch } from './watch.js';

/** What the pool knows of a connection. */
export type Session = {
  readonly generation: number;
  /** The limits that the server keeps for it now; undefined until it has some. */
  limits: TimeLimits | undefined;
  lost: boolean;
  /** The server's process, as the server itself names it: a pooler in between names another one. */
  backend: number | undefined;
  /** Who has it now. */
  lease: Lease | undefined;
};

const COMMIT = /^\s*commit\s*$/i;
const ROLLBACK = /^\s*rollback\s*$/i;

/**
 * A connection while somebody works with it. It is given back once, by its holder or, when the connection is lost or
 * does not answer in time, by itself; the holder's later statements fail then, and its later `release` does nothing.
 */
export class Lease {
  #released = false;

  constructor(
    private readonly client: PoolClient,
    private readonly session: Session,
    private readonly givenBack: (frozen: boolean) => void,
    private readonly watch: Watch,
  ) {
    session.lease = this;
  }

  /** The server's process; Kysely names it when it cancels a query. */
  get processID(): number | undefined {
    return (this.client as { processID?: number }).processID;
  }

  /** Has the server keep these limits for the session. */
  async adopt(limits: TimeLimits, withinMs: number): Promise<void> {
    const { session } = this;
    if (session.limits === limits) return;
    const { statementMs, lockMs, idleMs } = limits;
    const text = `${session.limits ? '' : PROBES}set statement_timeout = ${statementMs}; set lock_timeout = ${lockMs};
      set idle_in_transaction_session_timeout = ${idleMs}; select pg_backend_pid() as backend`;
    // Several statements have several results.
    const results = (await this.#ask<{ backend: number }>({ text }, withinMs)) as unknown as QueryResult[];
    session.backend = results.at(-1)?.rows[0]?.backend;
    session.limits = limits;
  }

  async query<Row extends object>(given: string | QueryConfig, values?: unknown[]): Promise<QueryResult<Row>> {
    const query = typeof given === 'string' ? { text: given, ...(values && { values }) } : given;
    const { text } = query;
    // Nothing is sent on a connection that was lost: the server has rolled back what was begun on it.
    if (this.#released) throw markOutage(new Error('the connection to the database was lost'), 'DATABASE_UNAVAILABLE');
    const scope = scopeOfRequest();
    const takesEffect = COMMIT.test(text);
    if (scope && takesEffect) scope.writes++;
    try {
      const answerMs = this.session.limits?.answerMs ?? 0;
      // A rollback is quick, whatever was done.
      return await this.#ask<Row>(query, ROLLBACK.test(text) ? Math.min(answerMs, REQUEST.answerMs) : answerMs);
    } catch (error) {
      if (isRefusal(error) && !this.session.lost) {
        if (scope && takesEffect) scope.writes--;
        const outage = outages[error.code ?? ''];
        throw outage ? markOutage(error, outage) : error;
      }
      const lost = !this.session.lost && !(error instanceof pg.DatabaseError) ? error : undefined;
      // A value that the driver cannot send is a mistake of the caller; its connection goes, too, and nothing else.
      this.discard();
      throw lost ?? markOutage(error, takesEffect ? 'OUTCOME_UNKNOWN' : 'DATABASE_UNAVAILABLE');
    }
  }

  release(): void {
    this.#giveBack(this.session.lost, false);
  }

  /** Closes the connection and frees its slot at once, whatever its holder waits for. */
  discard(frozen = false): void {
    this.session.lost = true;
    this.#giveBack(true, frozen);
  }

  async #ask<Row extends object>(query: QueryConfig, withinMs: number): Promise<QueryResult<Row>> {
    // Closing the connection has the query fail.
    const lost = () => this.discard(true);
    const timer = setTimeout(lost, withinMs);
    const { backend } = this.session;
    const unwatch = backend !== undefined && withinMs > WATCHED_ABOVE_MS ? this.watch(backend, lost) : undefined;
    try {
      return await this.client.query<Row>(query);
    } finally {
      clearTimeout(timer);
      unwatch?.();
    }
  }

  #giveBack(broken: boolean, frozen: boolean): void {
    if (this.#released) return;
    this.#released = true;
    this.session.lease = undefined;
    this.client.release(broken);
    this.givenBack(frozen);
  }
}

/** The SQLSTATEs with which the server ends a session: connection and login failures, shutdowns, and timeouts of a session. */
const SESSION_ENDS = /^(08...|28...|53300|57P0[1-5]|25P0[34])$/;

/**
 * The server has refused the statement and keeps the session: a transaction that it commits is then rolled back. Only
 * the SQLSTATE tells; the severity is in the language of the server.
 */
const isRefusal = (error: unknown): error is pg.DatabaseError =>
  error instanceof pg.DatabaseError && error.code !== undefined && !SESSION_ENDS.test(error.code);

/** The refusals that are not the statement's fault. */
const outages: Readonly<Record<string, Outage>> = {
  // A time limit of the server has passed: the statement's, or that of a lock.
  57014: 'DATABASE_BUSY',
  '55P03': 'DATABASE_BUSY',
  // Two transactions stood in each other's way.
  '40001': 'DATABASE_BUSY',
  '40P01': 'DATABASE_BUSY',
  // No room, or a standby that has not taken over yet.
  '53000': 'DATABASE_UNAVAILABLE',
  '53100': 'DATABASE_UNAVAILABLE',
  '53200': 'DATABASE_UNAVAILABLE',
  '53400': 'DATABASE_UNAVAILABLE',
  '25006': 'DATABASE_UNAVAILABLE',
};
