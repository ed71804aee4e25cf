import { setTimeout as sleep } from 'node:timers/promises';
import { Migrator } from '@mikro-orm/migrations';
import type { MikroORM, Options, SqlEntityManager } from '@mikro-orm/sql';
import type { PooledDialect } from './connections/dialect.js';
import type { ConnectionPool } from './connections/pool.js';
import { MIGRATION, withTimeouts } from './connections/timeouts.js';
import { entities } from './entities.js';
import { createDatabaseDirectory, migrationsPath } from './new-database.js';

export type Database = MikroORM;

/** Location of the data: a PostgreSQL server, or the directory of the embedded database. */
export type DatabaseTarget = { readonly url: string } | { readonly directory: string };

/** Key of the advisory lock. The replica that holds the lock migrates; the others wait. */
const MIGRATION_LOCK = 0x637572;
/** Interval at which a waiting replica tries to get the lock. */
const MIGRATION_POLL_MS = 500;

/**
 * Shared buffers of the embedded database, which this process allocates. Less than the default of 128 MB: a development
 * database is small, and the operating system caches its files.
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

/** Connection pool of a PostgreSQL server. undefined for the embedded database. */
export function poolOf(orm: Database): ConnectionPool | undefined {
  const options: unknown = orm.config.get('driverOptions');
  return typeof options === 'function' ? (options() as PooledDialect).pool : undefined;
}

/** Connects to a database and loads only the driver that it needs. `schema`: the search path, if not the default. */
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
      // MikroORM connects at the first statement. This one reports a wrong URL at the start.
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
    // Writes the write-ahead log to the tables, so that a copy of the directory needs no recovery.
    await orm.em.getConnection().execute('checkpoint');
  } finally {
    await orm.close(true);
  }
}

/**
 * Applies the missing migrations. On a PostgreSQL server, an advisory lock lets one replica migrate at a time; it ends with
 * the transaction that migrates. Waiting replicas poll the lock, because a wait inside the server would not detect a broken
 * connection. The embedded database needs no lock: only one process can open its directory.
 */
export async function migrate(orm: Database, target: DatabaseTarget, limits = MIGRATION): Promise<void> {
  if ('directory' in target) {
    await orm.migrator.up();
    return;
  }
  const migrateIfLocked = () =>
    (orm.em.fork() as SqlEntityManager).transactional(async (tx) => {
      const [row] = await tx.execute<{ free: boolean }[]>('select pg_try_advisory_xact_lock(?) as free', [
        MIGRATION_LOCK,
      ]);
      if (!row?.free) return false;
      await orm.migrator.up({ transaction: tx.getTransactionContext() });
      return true;
    });
  await withTimeouts(limits, async () => {
    for (const end = performance.now() + limits.lockMs; !(await migrateIfLocked()); await sleep(MIGRATION_POLL_MS)) {
      if (performance.now() > end) throw new Error('another replica has been migrating the database for too long');
    }
  });
}
