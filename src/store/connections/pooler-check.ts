import type { Lease } from './lease.js';
import { type Pool, RoutedPool } from './routed-pool.js';
import { REQUEST } from './timeouts.js';

/** The timeouts that the sessions of a pooler in transaction mode must have, in milliseconds. */
const LIMITS: Readonly<Record<string, number>> = {
  statement_timeout: REQUEST.statementMs,
  lock_timeout: REQUEST.lockMs,
  idle_in_transaction_session_timeout: REQUEST.idleMs,
};

/**
 * The database, and the time when its server started: no other server has both. Schema and role must be equal, too, because requests
 * and jobs use the same tables.
 */
const IDENTITY = `select current_database(), current_schema(), current_user,
  extract(epoch from pg_postmaster_start_time())::text as started`;
const TIMEOUTS = 'select name, setting::int as ms from pg_settings where name = any($1)';

/** Returns the reason why the service cannot work with its URLs of the database. undefined if it can. */
export async function findUrlFault(pool: Pool): Promise<string | undefined> {
  const isRouted = pool instanceof RoutedPool;
  if (await sharesSessions(isRouted ? pool.server : pool))
    return 'DATABASE_URL: the value is not accepted: a pooler in transaction mode belongs into DATABASE_POOLER_URL';
  const fault = isRouted ? await findPoolerFault(pool) : undefined;
  return fault && `DATABASE_POOLER_URL: the value is not accepted: ${fault}`;
}

async function findPoolerFault({ server, pooler }: RoutedPool): Promise<string | undefined> {
  const expected = await server.query({ text: IDENTITY });
  try {
    const actual = await pooler.query({ text: IDENTITY });
    if (JSON.stringify(actual.rows) !== JSON.stringify(expected.rows))
      return 'it leads to another database, schema or role';
    const { rows } = await pooler.query<{ name: string; ms: number }>({
      text: TIMEOUTS,
      values: [Object.keys(LIMITS)],
    });
    const wrong = rows.find(({ name, ms }) => ms === 0 || ms > Number(LIMITS[name]));
    return wrong && `${wrong.name} is ${wrong.ms} ms, and must be from 1 to ${LIMITS[wrong.name]} ms`;
  } catch (error) {
    return `the pooler says: ${(error as Error).message.split('\n')[0]}`;
  }
}

/**
 * Whether a pooler lends the session of one connection to another. Settings, named statements and locks of a session would
 * reach other connections. Without a pooler, this sends no statement.
 */
async function sharesSessions(pool: Pool): Promise<boolean> {
  return withLease(pool, async (first) => {
    if (!first.isPooled) return false;
    return withLease(pool, async (second) => {
      const backend = await backendOf(first);
      return (await backendOf(second)) === backend || (await backendOf(first)) !== backend;
    });
  });
}

const backendOf = async (lease: Lease): Promise<number | undefined> =>
  (await lease.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid;

async function withLease<T>(pool: Pool, work: (lease: Lease) => Promise<T>): Promise<T> {
  const lease = await pool.connect();
  try {
    return await work(lease);
  } finally {
    lease.release();
  }
}
