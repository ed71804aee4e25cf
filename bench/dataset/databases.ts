import pg from 'pg';
import { TIMES } from '../../src/config/timeouts.js';
import { openDatabase } from '../../src/service/orm.js';
import { JOB, withTimeouts } from '../../src/store/connections/timeouts.js';
import { migrate } from '../../src/store/database.js';
import { fill } from './fill.js';
import { type SizeName, sizes } from './plan.js';

/** Version of the data. Increase it with a change that gives a size other rows, so that existing databases are recreated. */
const VERSION = 1;
/** Maximum age of the data. Figures over 24 hours depend on the time, so older data is recreated. */
const FRESH_MS = 12 * 3_600_000;

export const databaseName = (size: SizeName): string => `curvet_bench_${size}`;

export function urlOf(server: string, database: string): string {
  const url = new URL(server);
  url.pathname = `/${database}`;
  return url.href;
}

/** Runs work in the server's default database, from which other databases can be created and dropped. */
export async function onServer<T>(server: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

export async function createDatabase(server: string, name: string): Promise<string> {
  await onServer(server, async (client) => {
    await client.query(`drop database if exists ${name} with (force)`);
    await client.query(`create database ${name}`);
  });
  return urlOf(server, name);
}

/** Recreates the database of a size. Returns its URL. */
export async function makeData(server: string, size: SizeName, say: (line: string) => void): Promise<string> {
  const url = await createDatabase(server, databaseName(size));
  const orm = await openDatabase({ url }, { times: TIMES });
  try {
    await migrate(orm, { url });
    const anchor = new Date(Math.floor(Date.now() / 1000) * 1000);
    // A statement over all trades takes longer than a request may, so these statements have the timeouts of jobs.
    await withTimeouts(JOB, () => fill(orm, sizes[size], anchor, { say }));
    const meta = JSON.stringify({ version: VERSION, anchor });
    await orm.em.fork().getConnection().execute('insert into setting (name, value) values (?, ?)', ['bench', meta]);
  } finally {
    await orm.close(true);
  }
  return url;
}

/**
 * The database of a size. Creates it unless it exists and is fresh. Runs the missing migrations on a fresh one. Returns its URL.
 */
export async function ensureData(server: string, size: SizeName, say: (line: string) => void): Promise<string> {
  const url = urlOf(server, databaseName(size));
  if (await isFresh(url)) {
    const orm = await openDatabase({ url }, { times: TIMES });
    await migrate(orm, { url }).finally(() => orm.close(true));
    return url;
  }
  return makeData(server, size, say);
}

/** Copies the database of a size, for benchmarks that change the data. */
export async function cloneData(
  server: string,
  size: SizeName,
  say: (line: string) => void,
): Promise<{ readonly url: string; readonly name: string }> {
  await ensureData(server, size, say);
  const name = `${databaseName(size)}_${process.pid}`;
  await onServer(server, (client) => client.query(`create database ${name} template ${databaseName(size)}`));
  return { url: urlOf(server, name), name };
}

export async function dropDatabase(server: string, name: string): Promise<void> {
  await onServer(server, (client) => client.query(`drop database if exists ${name} with (force)`));
}

async function isFresh(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  try {
    await client.connect();
    const { rows } = await client.query("select value from setting where name = 'bench'");
    const { version, anchor } = JSON.parse(rows[0]?.value ?? '{}');
    return version === VERSION && Date.now() - Date.parse(anchor) < FRESH_MS;
  } catch {
    return false;
  } finally {
    await client.end();
  }
}
