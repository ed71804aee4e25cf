import { setTimeout as sleep } from 'node:timers/promises';
import { Migrator } from '@mikro-orm/migrations';
import type { MikroORM, Options, SqlEntityManager } from '@mikro-orm/sql';
import type { PooledDialect } from './connections/dialect.js';
import type { ConnectionPool } from './connections/pool.js';
import { MIGRATION, withTimeouts } from './connections/timeouts.js';
import { entities } from './entities.js';
import { createDatabaseDirectory, migrationsPath } from './new-database.js';

export type Database = MikroORM;

/** Where the data is: on a PostgreSQL server, or in a directory of the embedded one. */
export type DatabaseTarget = { readonly url: string } | { readonly directory: string };

/** Any constant that all replicas share: who holds it migrates, the others wait. */
const MIGRATION_LOCK = 0x637572;
/** How often a replica that waits for its turn asks. */
const MIGRATION_POLL_MS = 500;

/**
 * Shared buffers of the embedded database. The default of 128 MB stays in the memory of this process; a development
 * database is small, and the system caches its files.
 */
const SHARED_BUFFERS = '24MB';

export function ormOptions(): Options {
  return {
    entities,
    extensions: [Migrator],
    migrations: { path: migrationsPath, pathTs: 'schema/migrations', emit: 'ts', snapshot: false, silent: true },
    forceUtcTimezone: true,
    allowGlobalContext: false,
  };
}

/** The pool of a database on a PostgreSQL server; the embedded one has none. */
export function poolOf(orm: Database): ConnectionPool | undefined {
  const options: unknown = orm.config.get('driverOptions');
  return typeof options === 'function' ? (options() as PooledDialect).pool : undefined;
}

/** Connects; the driver that is not needed is not loaded. `schema` is where it looks for tables, if not where it does by itself. */
export async function openDatabase(target: DatabaseTarget, schema?: string): Promise<Database> {
  if ('url' in target) {
    const { MikroORM: PostgreSqlORM } = await import('@mikro-orm/postgresql');
    const { createDialect } = await import('./connections/dialect.js');
    const dialect = createDialect(target.url, schema);
    const orm = (await PostgreSqlORM.init({
      ...(ormOptions() as object),
      clientUrl: target.url,
      driverOptions: () => dialect,
    })) as unknown as Database;
    try {
      // It connects at the first statement: a wrong URL shows here, not in the middle of something.
      await orm.em.getConnection().execute('select 1');
    } catch (error) {
      await orm.close(true);
      throw error;
    }
    return orm;
  }
  const { directory } = target;
  if (!directory.startsWith('memory:')) await createDatabaseDirectory(directory, initializeEmbedded);
  const orm = await openEmbedded(directory);
  if (schema) await orm.em.getConnection().execute(`set search_path to ${schema}`);
  return orm;
}

async function openEmbedded(directory: string): Promise<Database> {
  const { MikroORM: PgliteORM } = await import('@mikro-orm/pglite');
  const { PGlite } = await import('@electric-sql/pglite');
  const startParams = [...PGlite.defaultStartParams, '-c', `shared_buffers=${SHARED_BUFFERS}`];
  const options = { ...(ormOptions() as object), dbName: directory, driverOptions: { startParams } };
  return (await PgliteORM.init(options)) as unknown as Database;
}

/** Creates an embedded database in an empty directory and applies all migrations. */
export async function initializeEmbedded(directory: string): Promise<void> {
  const orm = await openEmbedded(directory);
  try {
    await orm.migrator.up();
    // What the migrations left in the log is written to the tables, so that a copy has nothing to recover.
    await orm.em.getConnection().execute('checkpoint');
  } finally {
    await orm.close(true);
  }
}

/**
 * Brings the schema up to date. Replicas that start together take turns: the transaction that migrates holds the lock,
 * so that the lock goes when the transaction does. Those that wait ask again and again, since a wait in the server would
 * not notice a frozen line. The embedded database has one connection, and its directory one process.
 */
export async function migrate(orm: Database, target: DatabaseTarget, limits = MIGRATION): Promise<void> {
  if ('directory' in target) {
    await orm.migrator.up();
    return;
  }
  const inTurn = () =>
    (orm.em.fork() as SqlEntityManager).transactional(async (tx) => {
      const [row] = await tx.execute<{ free: boolean }[]>('select pg_try_advisory_xact_lock(?) as free', [
        MIGRATION_LOCK,
      ]);
      if (!row?.free) return false;
      await orm.migrator.up({ transaction: tx.getTransactionContext() });
      return true;
    });
  await withTimeouts(limits, async () => {
    for (const end = performance.now() + limits.lockMs; !(await inTurn()); await sleep(MIGRATION_POLL_MS)) {
      if (performance.now() > end) throw new Error('another replica has been migrating the database for too long');
    }
  });
}
