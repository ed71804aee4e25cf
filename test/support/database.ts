import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, type DatabaseTarget, migrate, openDatabase } from '../../src/store/database.js';

/** The database of this process, opened at the first use. Processes that run test files in parallel never share one. */
let opened: Promise<{ orm: Database; url: string | undefined }> | undefined;

/** The PostgreSQL server for the tests. If undefined, they use the embedded database. */
export const serverUrl = process.env.DATABASE_URL;

export function testDatabase(): Promise<{ orm: Database; url: string | undefined }> {
  opened ??= openFresh();
  return opened;
}

async function openFresh() {
  const url = serverUrl === undefined ? undefined : await createDatabase(serverUrl);
  const target: DatabaseTarget = url === undefined ? { directory: join(temporaryDirectory(), 'database') } : { url };
  const orm = await openDatabase(target);
  await migrate(orm, target);
  return { orm, url };
}

/** The directory is removed when the process exits, because processes of parallel tests run no hooks at their end. */
function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'curvet-test-database-'));
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** Prefix of the names of all databases that one test run creates, in any process. */
process.env.CURVET_TEST_RUN ??= `curvet_test_${process.pid}_${randomBytes(4).toString('hex')}`;
const prefix = process.env.CURVET_TEST_RUN;

/** Creates a database on the server. It is dropped at the end of the run. */
export async function createDatabase(server: string): Promise<string> {
  const name = `${prefix}_${randomBytes(4).toString('hex')}`;
  await onServer(server, `create database ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

async function onServer(server: string, statement: string): Promise<Record<string, unknown>[]> {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}

/** Closes the database of this process and drops all those of the run. */
export async function closeTestDatabases(): Promise<void> {
  if (opened) await (await opened).orm.close(true);
  if (serverUrl === undefined) return;
  const left = await onServer(serverUrl, `select datname from pg_database where starts_with(datname, '${prefix}')`);
  for (const { datname } of left) await onServer(serverUrl, `drop database if exists ${datname} with (force)`);
}

/** Empties every table except those of the migrations. */
export async function emptyTables(orm: Database): Promise<void> {
  const rows = await orm.em
    .fork()
    .getConnection()
    .execute<{ name: string }[]>(
      "select quote_ident(tablename) as name from pg_tables where schemaname = 'public' and tablename not like 'mikro%'",
    );
  await orm.em
    .fork()
    .getConnection()
    .execute(`truncate ${rows.map(({ name }) => name).join(', ')} restart identity cascade`);
}
