import type { Client, QueryResult } from 'pg';
import type { Times } from '../config/timeouts.js';
import { markOutage } from '../observe/database-errors.js';
import { every, within } from '../tasks.js';
import { SESSION_SETTINGS } from './connections/timeouts.js';
import type { DatabaseTarget } from './database.js';

/** Leader election: one replica runs the jobs that must run only once. */
export type Leadership = {
  /** True while this process leads. Tries to become the leader if no replica leads. Throws while the database is unavailable. */
  lead(): Promise<boolean>;
  /**
   * Aborts when the leader's session is lost, because another replica may lead then. Each term has a new signal. Absent if the
   * leader needs no session.
   */
  readonly term?: AbortSignal;
  close(): Promise<void>;
};

/** Interval at which the leader checks that its session is alive. */
const PING_MS = 2000;

/**
 * Makes the server end a silent session, which releases the lock. Before PostgreSQL 14, which added idle_session_timeout, only the
 * keepalives do that.
 */
const endSilent = (milliseconds: number) =>
  `select set_config(name, '${milliseconds}', false) from pg_settings where name = 'idle_session_timeout'`;

/** Leader election for a database. The embedded database has a single process, which always leads. */
export function leadership(target: DatabaseTarget, lock: number, times: Times): Leadership {
  if ('directory' in target) return { lead: async () => true, close: async () => {} };
  return new AdvisoryLockLeadership(target.url, lock, times);
}

/** An advisory lock in a dedicated session. It ends with the session, so another replica can take over. */
class AdvisoryLockLeadership implements Leadership {
  #session: Client | undefined;
  #term = new AbortController();
  #connecting: Promise<boolean> | undefined;
  #checking: Promise<boolean> | undefined;
  #closed = false;
  #endPings = () => {};

  constructor(
    private readonly url: string,
    private readonly lock: number,
    private readonly times: Times,
  ) {}

  async lead(): Promise<boolean> {
    if (this.#closed) return false;
    if (this.#session !== undefined && (await this.#isAlive(this.#session))) return true;
    this.#connecting ??= this.#connect().finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  get term(): AbortSignal {
    return this.#term.signal;
  }

  async close(): Promise<void> {
    this.#closed = true;
    const session = this.#session;
    this.#session = undefined;
    this.#endPings();
    if (session === undefined) return;
    // A frozen connection never confirms its end, so its socket is closed after a timeout.
    const cancel = this.times.after(this.times.leaderAnswer, () => closeSocket(session));
    await session.end().catch(() => {});
    cancel();
  }

  async #connect(): Promise<boolean> {
    const { default: pg } = await import('pg');
    const client = new pg.Client({
      connectionString: this.url,
      connectionTimeoutMillis: this.times.leaderAnswer,
      application_name: 'curvet leader',
    });
    client.on('error', () => this.#lose(client));
    client.on('end', () => this.#lose(client));
    try {
      await client.connect();
      await this.#ask(client, SESSION_SETTINGS);
      await this.#ask(client, endSilent(this.times.leaderSilence));
      const { rows } = await this.#ask(client, 'select pg_try_advisory_lock($1) as led', [this.lock]);
      if (rows[0]?.led && !this.#closed) {
        this.#session = client;
        this.#term = new AbortController();
        this.#endPings = every(this.times, PING_MS, () => void this.#isAlive(client));
        return true;
      }
    } catch (error) {
      this.#leave(client);
      throw markOutage(error, 'DATABASE_UNAVAILABLE');
    }
    this.#leave(client);
    return false;
  }

  /** Gives up the leadership if the server does not answer: it may have vanished without closing the connection. */
  #isAlive(client: Client): Promise<boolean> {
    this.#checking ??= this.#ask(client, 'select')
      .then(
        () => true,
        () => {
          this.#leave(client);
          return false;
        },
      )
      .finally(() => {
        this.#checking = undefined;
      });
    return this.#checking;
  }

  /** Runs a statement. Throws if the server does not answer in time. */
  async #ask(client: Client, text: string, values?: unknown[]): Promise<QueryResult> {
    const result = await within(this.times, this.times.leaderAnswer, client.query(text, values));
    if (result === undefined) throw new Error('the database does not answer');
    return result;
  }

  /** Ends the term, because another replica may lead now. Does nothing if `client` is not the session of the leader. */
  #lose(client: Client): void {
    if (this.#session !== client) return;
    this.#session = undefined;
    this.#endPings();
    this.#term.abort();
  }

  /** Ends the term and the session. The server releases the lock with the session. */
  #leave(client: Client): void {
    this.#lose(client);
    client.end().catch(() => {});
  }
}

/** Closes the socket without telling the server, which may not answer. */
const closeSocket = (client: Client): void =>
  (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
