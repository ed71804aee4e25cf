import { Migrator } from '@mikro-orm/migrations';
import type { MikroORM, Options, SqlEntityManager } from '@mikro-orm/sql';
import type { ClientBase } from 'pg';
import { entities } from './entities.js';

export type Database = MikroORM;

/** Where the data is: on a PostgreSQL server, or in a directory of the embedded one. */
export type DatabaseTarget = { readonly url: string } | { readonly directory: string };

/** Any constant that all replicas share: who holds it migrates, the others wait. */
const MIGRATION_LOCK = 0x637572;

/** The server probes the connection when it falls silent, and ends it within some seconds without an answer. */
export const PROBED = 'set tcp_keepalives_idle = 3; set tcp_keepalives_interval = 2; set tcp_keepalives_count = 2';

/** Where the compiled migrations are, from the compiled place of this file. */
const migrationsPath = new URL('../../schema/migrations', import.meta.url).pathname;

export function ormOptions(): Options {
  return {
    entities,
    extensions: [Migrator],
    migrations: { path: migrationsPath, pathTs: 'schema/migrations', emit: 'ts', snapshot: false, silent: true },
    forceUtcTimezone: true,
    allowGlobalContext: false,
  };
}

/** Connects; the driver that is not needed is not loaded. `schema` is where it looks for tables, if not where it does by itself. */
export async function openDatabase(target: DatabaseTarget, schema?: string): Promise<Database> {
  if ('url' in target) {
    const { MikroORM: PostgreSqlORM } = await import('@mikro-orm/postgresql');
    const orm = (await PostgreSqlORM.init({
      ...(ormOptions() as object),
      clientUrl: target.url,
      // Statements are prepared and planned by connection: who comes back within minutes finds them as they were.
      pool: { min: 0, max: 20, idleTimeoutMillis: 120_000 },
      driverOptions: {
        ...(schema && { options: `-c search_path=${schema}` }),
        // A machine that vanishes in mid-transaction holds its locks no longer than the server takes to notice.
        onConnect: (client: ClientBase) => client.query(PROBED).catch(() => {}),
      },
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
  const { MikroORM: PgliteORM } = await import('@mikro-orm/pglite');
  const orm = (await PgliteORM.init({ ...(ormOptions() as object), dbName: target.directory })) as unknown as Database;
  if (schema) await orm.em.getConnection().execute(`set search_path to ${schema}`);
  return orm;
}

/**
 * Brings the schema up to date. Replicas that start together take turns: one transaction holds the lock while the
 * migrator works on connections of its own. The embedded database has one connection, and its directory one process.
 */
export async function migrate(orm: Database, target: DatabaseTarget): Promise<void> {
  if ('directory' in target) {
    await orm.migrator.up();
    return;
  }
  const em = orm.em.fork() as SqlEntityManager;
  await em.transactional(async (tx) => {
    await tx.execute('select pg_advisory_xact_lock(?)', [MIGRATION_LOCK]);
    await orm.migrator.up();
  });
}
