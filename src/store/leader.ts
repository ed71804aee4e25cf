import type { Client } from 'pg';
import { endWithin } from './connections/statement-watch.js';
import { KEEPALIVE_SETTINGS } from './connections/timeouts.js';
import type { DatabaseTarget } from './database.js';

/** Leader election: one replica runs the jobs that must run only once. */
export type Leadership = {
  /** True while this process leads. Tries to become the leader if no replica leads. */
  lead(): Promise<boolean>;
  /** Aborts when the leader's session is lost, because another replica may lead then. Absent if it cannot be lost. */
  readonly term?: AbortSignal;
  close(): Promise<void>;
};

/** Timeout of a statement in the leader's session. After it the session counts as lost. */
const ANSWER_MS = 3000;
/** Interval at which the leader checks its session. */
const PING_MS = 2000;
/** Idle time after which the server ends the session and releases the lock. */
const SILENT_MS = 8000;

/** idle_session_timeout exists since PostgreSQL 14. Older servers rely on the keepalives. */
const END_SILENT = `select set_config(name, '${SILENT_MS}', false) from pg_settings where name = 'idle_session_timeout'`;

/**
 * Leader election by a PostgreSQL advisory lock in a dedicated session. The lock ends with the session, so another replica
 * takes over when the leader dies. The embedded database has a single process, which always leads.
 */
export function leadership(target: DatabaseTarget, lock: number): Leadership {
  if ('directory' in target) {
    return { lead: async () => true, close: async () => {} };
  }
  let session: Client | undefined;
  let term = new AbortController();
  let connecting: Promise<boolean> | undefined;
  let asking: Promise<boolean> | undefined;
  let closed = false;
  let pings: NodeJS.Timeout | undefined;
  const lost = (client: Client) => {
    if (session !== client) return;
    session = undefined;
    clearInterval(pings);
    term.abort();
  };
  const leave = (client: Client) => {
    lost(client);
    client.end().catch(() => {});
  };
  const connect = async () => {
    const { default: pg } = await import('pg');
    const client = new pg.Client({
      connectionString: target.url,
      connectionTimeoutMillis: ANSWER_MS,
      query_timeout: ANSWER_MS,
      application_name: 'curvet leader',
    });
    client.on('error', () => lost(client));
    client.on('end', () => lost(client));
    try {
      await client.connect();
      await client.query(KEEPALIVE_SETTINGS);
      await client.query(END_SILENT);
      const { rows } = await client.query('select pg_try_advisory_lock($1) as led', [lock]);
      if (rows[0].led && !closed) {
        session = client;
        term = new AbortController();
        pings = setInterval(() => void holds(client), PING_MS);
        pings.unref();
        return true;
      }
    } catch {
      // The database is unreachable. The next call retries.
    }
    leave(client);
    return false;
  };
  /** Detects a server that vanished without closing the connection. */
  const holds = (client: Client): Promise<boolean> => {
    asking ??= client
      .query('select')
      .then(
        () => true,
        () => {
          leave(client);
          return false;
        },
      )
      .finally(() => {
        asking = undefined;
      });
    return asking;
  };
  return {
    async lead() {
      if (closed) return false;
      if (session !== undefined && (await holds(session))) return true;
      connecting ??= connect().finally(() => {
        connecting = undefined;
      });
      return connecting;
    },
    get term() {
      return term.signal;
    },
    async close() {
      closed = true;
      const held = session;
      session = undefined;
      clearInterval(pings);
      if (held === undefined) return;
      await endWithin(held, ANSWER_MS);
    },
  };
}
