import type { DatabaseTarget } from './database.js';

/** Whether this replica is the one that does what only one should do. */
export type Leadership = {
  /** True while this process leads; tries to become the leader if nobody is. */
  lead(): Promise<boolean>;
  close(): Promise<void>;
};

/**
 * An advisory lock on a connection of its own: it ends with the connection, so a replica that dies is followed by
 * another at its next try. The embedded database has one process, which leads.
 */
export function leadership(target: DatabaseTarget, lock: number): Leadership {
  if ('directory' in target) return { lead: async () => true, close: async () => {} };
  let session: { end(): Promise<void> } | undefined;
  const connect = async () => {
    const { default: pg } = await import('pg');
    const client = new pg.Client({ connectionString: target.url, keepAlive: true, application_name: 'curvet leader' });
    const lost = () => {
      if (session === client) session = undefined;
    };
    client.on('error', lost);
    client.on('end', lost);
    try {
      await client.connect();
      // The server notices a machine that vanished without a word.
      await client.query('set tcp_keepalives_idle = 3; set tcp_keepalives_interval = 2; set tcp_keepalives_count = 2');
      const { rows } = await client.query('select pg_try_advisory_lock($1) as led', [lock]);
      if (rows[0].led) {
        session = client;
        return true;
      }
    } catch {
      // No database, no leader: the next try sees.
    }
    await client.end().catch(() => {});
    return false;
  };
  return {
    lead: async () => session !== undefined || connect(),
    async close() {
      const held = session;
      session = undefined;
      await held?.end();
    },
  };
}
