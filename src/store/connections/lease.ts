import pg, { type PoolClient, type QueryConfig, type QueryResult } from 'pg';
import { markOutage, type Outage, scopeOfRequest } from '../../observe/outage.js';
import { commandOf, tracedSql } from '../../observe/spans.js';
import type { Times } from '../../times.js';
import type { Watch } from './statement-watch.js';
import { KEEPALIVE_SETTINGS, multiplied, REQUEST, type Timeouts } from './timeouts.js';

export type Session = {
  readonly generation: number;
  /** Timeouts set in the server's session. undefined before the first `setTimeouts`. */
  timeouts?: Timeouts;
  lost: boolean;
  /** Pid of the server process from pg_backend_pid(). undefined before the first `setTimeouts`. */
  backend?: number | undefined;
  lease?: Lease | undefined;
};

export type LeaseOptions = {
  readonly onRelease: (frozen: boolean) => void;
  readonly watch: Watch;
  readonly times: Times;
  readonly count: (labels: { command: string; result: string }, seconds: number) => void;
};

const COMMIT = /^\s*commit\s*$/i;
const ROLLBACK = /^\s*rollback\s*$/i;

/**
 * A connection in use. It is released once: by its user, or automatically when the connection is lost or a statement times
 * out. Later statements fail, and a later `release` has no effect.
 */
export class Lease {
  #released = false;

  constructor(
    private readonly client: PoolClient,
    private readonly session: Session,
    private readonly options: LeaseOptions,
  ) {
    session.lease = this;
  }

  /** Kysely reads this pid to cancel a query. */
  get processID(): number | undefined {
    return (this.client as { processID?: number }).processID;
  }

  /** Whether a pooler is in between: it announces a pid of its own. */
  get isPooled(): boolean {
    return this.session.backend !== this.processID;
  }

  async setTimeouts(timeouts: Timeouts): Promise<void> {
    const { session } = this;
    if (session.timeouts === timeouts) return;
    const { times } = this.options;
    const { statementMs, lockMs, idleMs } = multiplied(timeouts, times.factor);
    const text = `${session.timeouts ? '' : KEEPALIVE_SETTINGS}set statement_timeout = ${statementMs}; set lock_timeout = ${lockMs};
      set idle_in_transaction_session_timeout = ${idleMs}; select pg_backend_pid() as backend`;
    // pg answers a text of several statements with one result per statement.
    const results = (await this.#send<{ backend: number }>(
      { text },
      times.databaseConnect,
    )) as unknown as QueryResult[];
    session.backend = results.at(-1)?.rows[0]?.backend;
    session.timeouts = timeouts;
  }

  query<Row extends object>(statement: string | QueryConfig, values?: unknown[]): Promise<QueryResult<Row>> {
    const query = typeof statement === 'string' ? { text: statement, ...(values && { values }) } : statement;
    return tracedSql(query.text, async () => {
      const started = performance.now();
      let result = 'failed';
      try {
        const answer = await this.#run<Row>(query);
        result = 'done';
        return answer;
      } finally {
        this.options.count({ command: commandOf(query.text), result }, (performance.now() - started) / 1000);
      }
    });
  }

  async #run<Row extends object>(query: QueryConfig): Promise<QueryResult<Row>> {
    const { text } = query;
    // A lost connection is not used again: the server has rolled back its transaction.
    if (this.#released) throw markOutage(new Error('the connection to the database was lost'), 'DATABASE_UNAVAILABLE');
    const scope = scopeOfRequest();
    const takesEffect = COMMIT.test(text);
    if (scope && takesEffect) scope.writes++;
    try {
      const answerMs = this.session.timeouts?.answerMs ?? 0;
      // A rollback needs no long timeout: it is fast, even after a long transaction.
      const neededMs = ROLLBACK.test(text) ? Math.min(answerMs, REQUEST.answerMs) : answerMs;
      return await this.#send<Row>(query, neededMs * this.options.times.factor);
    } catch (error) {
      if (isRejection(error) && !this.session.lost) {
        if (scope && takesEffect) scope.writes--;
        const outage = outages[error.code ?? ''];
        throw outage ? markOutage(error, outage) : error;
      }
      const lostError = !this.session.lost && !(error instanceof pg.DatabaseError) ? error : undefined;
      // pg closes the connection if it cannot serialise a value. That is a bug of the caller, not an outage.
      this.discard();
      throw lostError ?? markOutage(error, takesEffect ? 'OUTCOME_UNKNOWN' : 'DATABASE_UNAVAILABLE');
    }
  }

  release(): void {
    this.#releaseOnce(this.session.lost, false);
  }

  /** Closes the connection and frees its slot immediately, even while a statement is waiting. */
  discard(frozen = false): void {
    this.session.lost = true;
    this.#releaseOnce(true, frozen);
  }

  async #send<Row extends object>(query: QueryConfig, withinMs: number): Promise<QueryResult<Row>> {
    // Closing the connection makes the query fail.
    const onLost = () => this.discard(true);
    const { times, watch } = this.options;
    const cancel = times.after(withinMs, onLost);
    const { backend } = this.session;
    const unwatch = backend !== undefined && withinMs > times.statementWatched ? watch(backend, onLost) : undefined;
    try {
      return await this.client.query<Row>(query);
    } finally {
      cancel();
      unwatch?.();
    }
  }

  #releaseOnce(broken: boolean, frozen: boolean): void {
    if (this.#released) return;
    this.#released = true;
    this.session.lease = undefined;
    this.client.release(broken);
    this.options.onRelease(frozen);
  }
}

/** SQLSTATEs that end a session: connection and login failures, shutdowns, session timeouts. */
const SESSION_ENDS = /^(08...|28...|53300|57P0[1-5]|25P0[34])$/;

/**
 * True if the server rejects the statement and keeps the session. A commit then rolls back. Only the SQLSTATE is reliable:
 * the severity is in the server's language.
 */
const isRejection = (error: unknown): error is pg.DatabaseError =>
  error instanceof pg.DatabaseError && error.code !== undefined && !SESSION_ENDS.test(error.code);

/** SQLSTATEs of rejected statements that are outages, not faults of the statement. */
const outages: Readonly<Record<string, Outage>> = {
  // A statement exceeded statement_timeout or lock_timeout.
  57014: 'DATABASE_BUSY',
  '55P03': 'DATABASE_BUSY',
  // A serialization failure or a deadlock.
  '40001': 'DATABASE_BUSY',
  '40P01': 'DATABASE_BUSY',
  // The server lacks resources, or it is a read-only standby before its promotion.
  '53000': 'DATABASE_UNAVAILABLE',
  '53100': 'DATABASE_UNAVAILABLE',
  '53200': 'DATABASE_UNAVAILABLE',
  '53400': 'DATABASE_UNAVAILABLE',
  '25006': 'DATABASE_UNAVAILABLE',
};
