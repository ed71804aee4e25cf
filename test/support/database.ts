import { randomBytes } from 'node:crypto';
import { type Database, migrate, openDatabase } from '../../src/store/database.js';

/**
 * The private database of this run. It is created at the first use and dropped at the end, so that runs never share
 * one.
 */
let opened: Promise<{ orm: Database; url: string | undefined }> | undefined;

/** The PostgreSQL server for the tests. If undefined, they use the embedded database in memory. */
export const serverUrl = process.env.DATABASE_URL;

export function testDatabase(): Promise<{ orm: Database; url: string | undefined }> {
  opened ??= openFresh();
  return opened;
}

async function openFresh() {
  const url = serverUrl === undefined ? undefined : await createDatabase(serverUrl);
  const target = url === undefined ? { directory: 'memory://' } : { url };
  const orm = await openDatabase(target);
  await migrate(orm, target);
  return { orm, url };
}

const created: string[] = [];

/** Creates a database on the server. It is dropped at the end of the run. */
export async function createDatabase(server: string): Promise<string> {
  const name = `curvet_test_${process.pid}_${randomBytes(4).toString('hex')}`;
  await onServer(server, `create database ${name}`);
  created.push(name);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

async function onServer(server: string, statement: string): Promise<void> {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

export async function closeTestDatabases(): Promise<void> {
  if (opened) await (await opened).orm.close(true);
  for (const name of created.splice(0))
    await onServer(serverUrl as string, `drop database if exists ${name} with (force)`);
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
