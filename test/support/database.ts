import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../../src/service/orm.js';
import { type Database, type DatabaseTarget, migrate } from '../../src/store/database.js';
import { RUN } from './processes.js';
import { testTimes } from './times.js';

/** URL of the PostgreSQL server for the tests. If it is undefined, the tests use the embedded database. */
export const serverUrl = process.env.DATABASE_URL;

/** `url` is set on a PostgreSQL server, `directory` for the embedded database. */
type TestDatabase = { readonly orm: Database; readonly url?: string; readonly directory?: string };

/** The database of the running test file. The worker closes it after the file. */
let opened: Promise<TestDatabase> | undefined;

/** Opens the database of the running test file at the first use. Its tables exist and are empty then. */
export function testDatabase(): Promise<TestDatabase> {
  opened ??= openFresh();
  return opened;
}

/** Opens the database like `testDatabase`, and empties the tables that an earlier suite of the file has filled. */
export async function emptyDatabase(): Promise<TestDatabase> {
  const isNew = opened === undefined;
  const database = await testDatabase();
  if (!isNew) await emptyTables(database.orm);
  return database;
}

async function openFresh(): Promise<TestDatabase> {
  const template = process.env[TEMPLATE];
  const target = await freshTarget(serverUrl, template);
  const orm = await openDatabase(target, { times: testTimes });
  // Only the test runner creates a template. Without a template, the new database on the server has no tables yet.
  if (serverUrl !== undefined && template === undefined) await migrate(orm, target);
  return { orm, ...target };
}

/**
 * Returns the target of a new database. On a server, this creates it, empty or as a copy of the template. Otherwise the target is
 * a new directory, to which `openDatabase` copies the snapshot of the build with all migrations.
 */
export async function freshTarget(server: string | undefined, template?: string): Promise<DatabaseTarget> {
  if (server !== undefined) return { url: await createDatabase(server, template) };
  const directory = mkdtempSync(join(tmpdir(), 'curvet-test-database-'));
  return { directory: join(directory, 'database') };
}

export async function closeTestDatabase(): Promise<void> {
  const database = await opened;
  opened = undefined;
  await database?.orm.close(true);
  if (database?.directory) rmSync(database.directory, { recursive: true, force: true });
}

/** Prefix of the names of all databases that the processes of one test run create. */
const prefix = (): string => String(process.env[RUN]);

/** Environment variable with the name of the template database. */
const TEMPLATE = 'CURVET_TEST_TEMPLATE';

/** Creates the template: a migrated database, which each test file copies. Only a server needs it. */
export async function createTemplate(): Promise<void> {
  if (serverUrl === undefined) return;
  const url = await createDatabase(serverUrl);
  const orm = await openDatabase({ url }, { times: testTimes });
  await migrate(orm, { url });
  await orm.close(true);
  process.env[TEMPLATE] = new URL(url).pathname.slice(1);
}

/**
 * Creates a database on the server as a copy of the template. `template1` is the empty template of PostgreSQL. The database is
 * dropped at the end of the run.
 */
export async function createDatabase(server: string, template = 'template1'): Promise<string> {
  const name = `${prefix()}_${randomBytes(4).toString('hex')}`;
  await onServer(server, `create database ${name} template ${template}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

async function onServer(server: string, statement: string): Promise<Record<string, unknown>[]> {
  // Loaded here, because only runs with a server need the module.
  const { queryAt } = await import('./servers/postgres.js');
  return queryAt(server, statement);
}

/** Drops all databases of this test run. */
export async function dropTestDatabases(): Promise<void> {
  if (serverUrl === undefined) return;
  const left = await onServer(serverUrl, `select datname from pg_database where starts_with(datname, '${prefix()}')`);
  for (const { datname } of left) await onServer(serverUrl, `drop database if exists ${datname} with (force)`);
}

/**
 * Empties every table except those in which MikroORM records the migrations, and restarts their numbers. Rows are deleted one by one,
 * because `truncate` makes new files for all tables and indexes, which takes longer than deleting a few rows. The role `replica`
 * turns off triggers and foreign keys.
 */
export const emptyTables = (orm: Database): Promise<unknown> =>
  orm.em
    .fork()
    .getConnection()
    .execute(`do $$ declare name text; begin
    set local session_replication_role = replica;
    for name in select quote_ident(tablename) from pg_tables where schemaname = 'public' and tablename not like 'mikro%'
      loop execute 'delete from ' || name; end loop;
    for name in select quote_ident(sequencename) from pg_sequences where schemaname = 'public' and sequencename not like 'mikro%'
      loop execute 'alter sequence ' || name || ' restart'; end loop; end $$`);
