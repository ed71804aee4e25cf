import type { Client } from 'pg';
import { type DatabaseTarget, PROBED } from './database.js';

/** Whether this replica is the one that does what only one should do. */
export type Leadership = {
  /** True while this process leads; tries to become the leader if nobody is. */
  lead(): Promise<boolean>;
  close(): Promise<void>;
};

/** How long the server may take to answer before it counts as lost. */
const ANSWER_MS = 3000;

/**
 * An advisory lock on a connection of its own: it ends with the connection, so a replica that dies is followed by
 * another at its next try. The embedded database has one process, which leads.
 */
export function leadership(target: DatabaseTarget, lock: number): Leadership {
  if ('directory' in target) return { lead: async () => true, close: async () => {} };
  let session: Client | undefined;
  let connecting: Promise<boolean> | undefined;
  let closed = false;
  const leave = (client: Client) => {
    if (session === client) session = undefined;
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
    const lost = () => {
      if (session === client) session = undefined;
    };
    client.on('error', lost);
    client.on('end', lost);
    try {
      await client.connect();
      // The server notices a machine that vanished without a word.
      await client.query(PROBED);
      const { rows } = await client.query('select pg_try_advisory_lock($1) as led', [lock]);
      if (rows[0].led && !closed) {
        session = client;
        return true;
      }
    } catch {
      // No database, no leader: the next try sees.
    }
    leave(client);
    return false;
  };
  /** This side notices a server that vanished without a word: another replica may lead by now. */
  const holds = async (client: Client) => {
    try {
      await client.query('select');
      return true;
    } catch {
      leave(client);
      return false;
    }
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
    async close() {
      closed = true;
      const held = session;
      session = undefined;
      await held?.end();
    },
  };
}
