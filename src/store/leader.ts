import type { Client } from 'pg';
import { endWithin } from './connections/statement-watch.js';
import { KEEPALIVE_SETTINGS } from './connections/timeouts.js';
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
      // No database, no leader: the next try sees.
    }
    leave(client);
    return false;
  };
  /** This side notices a server that vanished without a word. */
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
