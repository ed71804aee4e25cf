import type { Client } from 'pg';
import { PROBES } from './connections/time-limits.js';
import { endWithin } from './connections/watch.js';
import type { DatabaseTarget } from './database.js';

/** Whether this replica is the one that does what only one should do. */
export type Leadership = {
  /** True while this process leads; tries to become the leader if nobody is. */
  lead(): Promise<boolean>;
  /** Aborted when the session that leads now is lost: another replica may lead by then. Absent where it cannot be lost. */
  readonly term?: AbortSignal;
  close(): Promise<void>;
};

/** How long the server may take to answer before it counts as lost. */
const ANSWER_MS = 3000;
/** How often the leader asks whether its session is alive, while it works. */
const PING_MS = 2000;
/** The server gives up the lock of a session that has been silent for so long. */
const SILENT_MS = 8000;

/** PostgreSQL 14 and newer know this setting; older ones have the keepalives alone. */
const END_SILENT = `select set_config(name, '${SILENT_MS}', false) from pg_settings where name = 'idle_session_timeout'`;

/**
 * An advisory lock on a connection of its own: it ends with the connection, so a replica that dies is followed by
 * another at its next try. The embedded database has one process, which leads.
 */
export const leadership = (target: DatabaseTarget, lock: number): Leadership =>
  'directory' in target ? { lead: async () => true, close: async () => {} } : new LockLeadership(target.url, lock);

class LockLeadership implements Leadership {
  #session: Client | undefined;
  #term = new AbortController();
  #connecting: Promise<boolean> | undefined;
  #asking: Promise<boolean> | undefined;
  #closed = false;
  #pings: NodeJS.Timeout | undefined;

  constructor(
    private readonly url: string,
    private readonly lock: number,
  ) {}

  async lead(): Promise<boolean> {
    if (this.#closed) return false;
    if (this.#session !== undefined && (await this.#holds(this.#session))) return true;
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
    clearInterval(this.#pings);
    if (session) await endWithin(session, ANSWER_MS);
  }

  async #connect(): Promise<boolean> {
    const { default: pg } = await import('pg');
    const client = new pg.Client({
      connectionString: this.url,
      connectionTimeoutMillis: ANSWER_MS,
      query_timeout: ANSWER_MS,
      application_name: 'curvet leader',
    });
    client.on('error', () => this.#lost(client));
    client.on('end', () => this.#lost(client));
    try {
      await client.connect();
      await client.query(PROBES);
      await client.query(END_SILENT);
      const { rows } = await client.query('select pg_try_advisory_lock($1) as led', [this.lock]);
      if (rows[0].led && !this.#closed) {
        this.#session = client;
        this.#term = new AbortController();
        this.#pings = setInterval(() => void this.#holds(client), PING_MS);
        this.#pings.unref();
        return true;
      }
    } catch {
      // Without a database there is no leader; the next try connects again.
    }
    this.#leave(client);
    return false;
  }

  /** Whether the session is alive. It notices a server that vanished silently. */
  #holds(client: Client): Promise<boolean> {
    this.#asking ??= client
      .query('select')
      .then(
        () => true,
        () => {
          this.#leave(client);
          return false;
        },
      )
      .finally(() => {
        this.#asking = undefined;
      });
    return this.#asking;
  }

  #lost(client: Client): void {
    if (this.#session !== client) return;
    this.#session = undefined;
    clearInterval(this.#pings);
    this.#term.abort();
  }

  #leave(client: Client): void {
    this.#lost(client);
    client.end().catch(() => {});
  }
}
