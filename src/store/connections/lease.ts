import pg, { type PoolClient, type QueryConfig, type QueryResult } from 'pg';
import type { Times } from '../../config/timeouts.js';
import { markOutage, type Outage } from '../../observe/database-errors.js';
import { scopeOfRequest } from '../../observe/request-scope.js';
import { commandOf, tracedSql } from '../../observe/spans.js';
import { multiplied, REQUEST, SESSION_SETTINGS, type StatementTimeouts } from './timeouts.js';

export type LeaseOptions = {
  readonly times: Times;
  /** The timeouts that were last set in the session of each connection. */
  readonly timeouts: WeakMap<PoolClient, StatementTimeouts>;
  /** Called after each statement, for the metrics. */
  readonly count: (labels: { command: string; result: string }, seconds: number) => void;
  /** Called when the server has not answered a statement in time. */
  readonly onOverdue: () => void;
};

const COMMIT = /^\s*commit\s*$/i;
const ROLLBACK = /^\s*rollback\s*$/i;
/** If the server rejects one of these statements, Kysely never releases the connection. So the lease closes it. */
const BEGIN_OR_ROLLBACK = /^\s*(begin|start transaction|rollback)\b/i;

/** A connection in use. It goes back to the pool once: its user releases it, or it is closed because its state is uncertain. */
export class Lease {
  #isReturned = false;

  constructor(
    private readonly client: PoolClient,
    private readonly options: LeaseOptions,
  ) {
    client.once('error', this.#onLost);
    client.once('end', this.#onLost);
  }

  readonly #onLost = () => this.discard();

  /**
   * The pid that the server announced when the connection was opened. Kysely reads it to cancel a query. Behind a pooler, it need
   * not be the pid of the server process.
   */
  get processID(): number | undefined {
    return (this.client as { processID?: number }).processID;
  }

  async setTimeouts(timeouts: StatementTimeouts): Promise<void> {
    const { times, timeouts: set } = this.options;
    const current = set.get(this.client);
    if (current === timeouts) return;
    const { statementMs, lockMs, idleMs } = multiplied(timeouts, times.factor);
    const text = `${current ? '' : SESSION_SETTINGS}set statement_timeout = ${statementMs}; set lock_timeout = ${lockMs};
      set idle_in_transaction_session_timeout = ${idleMs}`;
    await this.#send({ text }, times.databaseConnect);
    set.set(this.client, timeouts);
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
    // A closed connection is not used again: the server has rolled back its transaction.
    if (this.#isReturned) throw markOutage(new Error('the connection to the database was lost'), 'DATABASE_UNAVAILABLE');
    const { text } = query;
    const scope = scopeOfRequest();
    // A commit counts as a write before it is sent: without an answer, its outcome is unknown. It is uncounted if the server
    // rejects it.
    const takesEffect = COMMIT.test(text);
    if (scope && takesEffect) scope.writes++;
    try {
      const answerMs = this.options.timeouts.get(this.client)?.answerMs ?? REQUEST.answerMs;
      // A rollback needs no long timeout: it is fast, even after a long transaction.
      const withinMs = ROLLBACK.test(text) ? Math.min(answerMs, REQUEST.answerMs) : answerMs;
      return await this.#send<Row>(query, withinMs * this.options.times.factor);
    } catch (error) {
      if (isRejection(error)) {
        if (scope && takesEffect) scope.writes--;
        if (BEGIN_OR_ROLLBACK.test(text)) this.discard();
        const outage = outages[error.code ?? ''];
        throw outage ? markOutage(error, outage) : error;
      }
      const isLost = this.#isReturned;
      this.discard();
      // The connection was not lost, and the error does not come from the server: pg could not serialise a value. That is a bug of
      // the caller, not an outage.
      if (!isLost && !(error instanceof pg.DatabaseError)) throw error;
      throw markOutage(error, takesEffect ? 'OUTCOME_UNKNOWN' : 'DATABASE_UNAVAILABLE');
    }
  }

  async #send<Row extends object>(query: QueryConfig, withinMs: number): Promise<QueryResult<Row>> {
    const cancel = this.options.times.after(withinMs, () => {
      // Closing the connection makes the query fail, so `query` below rejects.
      this.discard();
      this.options.onOverdue();
    });
    try {
      return await this.client.query<Row>(query);
    } finally {
      cancel();
    }
  }

  release(): void {
    this.#return(false);
  }

  /** Closes the connection and frees its place immediately, even while a statement is waiting. */
  discard(): void {
    this.#return(true);
  }

  #return(isBroken: boolean): void {
    if (this.#isReturned) return;
    this.#isReturned = true;
    this.client.off('error', this.#onLost);
    this.client.off('end', this.#onLost);
    this.client.release(isBroken);
  }
}

/** SQLSTATEs that end a session: connection and login failures, shutdowns, session timeouts. */
const SESSION_ENDS = /^(08...|28...|53300|57P0[1-5]|25P0[34])$/;

/**
 * True if the server has rejected the statement and the session continues. A rejected commit has rolled back. The SQLSTATE decides,
 * because the severity is in the server's language.
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
