import timers from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { Migrator } from '@mikro-orm/migrations';
import type { EntitySchema, MikroORM, Options, SqlEntityManager } from '@mikro-orm/sql';
import type { Times } from '../config/timeouts.js';
import { codeOf } from '../observe/database-errors.js';
import type { Metrics } from '../observe/metrics.js';
import { parsers } from './connections/parsers.js';
import { MIGRATION, withTimeouts } from './connections/timeouts.js';
import { createDatabaseDirectory, migrationNames, migrationsPath } from './new-database.js';

export type Database = MikroORM;

/** Location of the data: a PostgreSQL server, or the directory of the embedded database. */
export type DatabaseTarget = { readonly url: string } | { readonly directory: string };

/** Key of the advisory lock of migrations, an arbitrary number. The replica that holds the lock migrates, and the others wait. */
const MIGRATION_LOCK = 0x637572;
/** Interval at which a waiting replica tries to get the lock. */
const MIGRATION_POLL_MS = 500;

/** PostgreSQL's default is 128 MB, which this process would allocate. A development database is small, so less is enough. */
const SHARED_BUFFERS = '24MB';

export function ormOptions(entities: readonly EntitySchema[]): Options {
  return {
    entities: [...entities],
    extensions: [Migrator],
    migrations: { path: migrationsPath, emit: 'ts', snapshot: false, silent: true },
    // `trade_claim` is a view of the table `thesis` without an entity. Replicas of the previous version use it during an upgrade.
    // The next release drops it.
    schemaGenerator: { skipViews: ['trade_claim'] },
    forceUtcTimezone: true,
    allowGlobalContext: false,
  };
}

export type DatabaseOptions = {
  readonly schema?: string;
  readonly times: Times;
  readonly metrics?: Metrics;
};

/** Entities of the tables of the database. */
type Entities = { readonly entities: readonly EntitySchema[] };

/** Connects to a database and loads only the driver that it needs. */
export async function connectDatabase(
  target: DatabaseTarget,
  { times, entities, ...session }: DatabaseOptions & Entities,
): Promise<Database> {
  if ('url' in target) {
    const { MikroORM: PostgreSqlORM } = await import('@mikro-orm/postgresql');
    const { ConnectionPool, PooledDialect } = await import('./connections/pool.js');
    const { url } = target;
    const dialect = new PooledDialect(new ConnectionPool(url, times, session));
    const orm = (await PostgreSqlORM.init({
      ...(ormOptions(entities) as object),
      clientUrl: url,
      driverOptions: () => dialect,
    })) as Database;
    try {
      // MikroORM connects at the first statement, so this statement reports a wrong URL at the start. It does not go through
      // MikroORM, which hides the server's message that the database does not exist.
      await dialect.pool.query({ text: 'select 1' });
    } catch (error) {
      await orm.close(true);
      throw error;
    }
    return orm;
  }
  const { directory } = target;
  if (!directory.startsWith('memory:')) await createDatabaseDirectory(directory, initializeEmbedded);
  const orm = await openEmbedded(directory, ormOptions(entities));
  if (session.schema) await orm.em.getConnection().execute(`set search_path to ${session.schema}`);
  return orm;
}

async function openEmbedded(directory: string, tables: Options): Promise<Database> {
  const { MikroORM: PgliteORM } = await import('@mikro-orm/pglite');
  const { PGlite } = await import('@electric-sql/pglite');
  // V8 13.6 can abort the process when it frees compiled WebAssembly. With this flag, it frees none.
  setFlagsFromString('--no-wasm-code-gc');
  const startParams = [...PGlite.defaultStartParams, '-c', `shared_buffers=${SHARED_BUFFERS}`];
  const options = { ...(tables as object), dbName: directory, driverOptions: { startParams, parsers } };
  return (await PgliteORM.init(options)) as Database;
}

/** Creates an embedded database in an empty directory and applies all migrations. */
export async function initializeEmbedded(directory: string): Promise<void> {
  // A migration needs no entities, so MikroORM must not warn that there are none.
  const orm = await openEmbedded(directory, { ...ormOptions([]), discovery: { warnWhenNoEntities: false } });
  try {
    await orm.migrator.up();
    // Writes all changes from the write-ahead log to the tables, so that a copy of the directory needs no recovery.
    await orm.em.getConnection().execute('checkpoint');
  } finally {
    await orm.close(true);
  }
}

/**
 * Applies the missing migrations. On a PostgreSQL server, an advisory lock lets one replica migrate at a time; it ends
 * with the transaction that migrates. Waiting replicas poll the lock, because a wait inside the server would not detect
 * a broken connection. The embedded database needs no lock: only one process can open its directory.
 *
 * Old replicas may serve requests meanwhile. So each migration of an existing database has its own transaction, which
 * locks only one table that old replicas use and therefore cannot deadlock with them. A migration that meets a lock of
 * an old replica is rolled back and repeated. Returns what ran.
 */
export async function migrate(orm: Database, target: DatabaseTarget, limits = MIGRATION): Promise<Migrated[]> {
  const ran = timesOfMigrations(orm);
  if ('directory' in target) {
    await orm.migrator.up();
    return ran();
  }
  const attempt = () =>
    (orm.em.fork() as SqlEntityManager)
      .transactional((tx) => migrateOne(orm, tx))
      .catch((error: unknown) => {
        if (!REPEATABLE.includes(codeOf(error) ?? '')) throw error;
        return 'locked' as const;
      });
  return withTimeouts(limits, async () => {
    const end = performance.now() + limits.statementMs;
    for (;;) {
      const outcome = await attempt();
      if (outcome === 'complete') return ran();
      if (performance.now() > end) throw new Error('the locks for migrating the database have been taken for too long');
      if (outcome === 'locked') await timers.setTimeout(MIGRATION_POLL_MS);
    }
  });
}

export type Migrated = { readonly name: string; readonly ms: number };

/**
 * Measures the migrations that run after this call. The returned function lists them. A migration that is rolled back and repeated
 * counts once.
 */
function timesOfMigrations({ migrator }: Database): () => Migrated[] {
  const ran = new Map<string, number>();
  let began = 0;
  migrator.on('migrating', () => {
    began = performance.now();
  });
  migrator.on('migrated', ({ name }) => void ran.set(name, Math.round(performance.now() - began)));
  return () => [...ran].map(([name, ms]) => ({ name, ms }));
}

/** Applies the next migration, or all of them in a new database, which nobody uses yet. */
async function migrateOne(orm: Database, tx: SqlEntityManager): Promise<'locked' | 'more' | 'complete'> {
  const [row] = await tx.execute<{ free: boolean; existing: boolean }[]>(
    `select pg_try_advisory_xact_lock(?) as free, to_regclass('mikro_orm_migrations') is not null as existing`,
    [MIGRATION_LOCK],
  );
  if (!row?.free) return 'locked';
  const transaction = tx.getTransactionContext();
  const done = row.existing ? await tx.execute<{ name: string }[]>('select name from mikro_orm_migrations') : [];
  if (done.length === 0) {
    await orm.migrator.up({ transaction });
    return 'complete';
  }
  const names = new Set(done.map(({ name }) => name));
  const missing = migrationNames().filter((name) => !names.has(name));
  const [next] = missing;
  if (next !== undefined) await orm.migrator.up({ transaction, migrations: [next] });
  return missing.length > 1 ? 'more' : 'complete';
}

/** SQLSTATEs of a lock timeout and of a deadlock. The transaction was rolled back, and can be repeated. */
const REPEATABLE = ['55P03', '40P01'];
