import type { Deps } from '../../src/deps.js';
import type { Database } from '../../src/store/database.js';
import { openSql, openWrite, type Sql, sqlIn } from '../../src/store/sql.js';
import { serverUrl } from './database.js';
import { eventually } from './service/process.js';

const WRITES = /\b(insert|update|delete|truncate|merge|create|alter|drop)\b/i;

/** A `Deps.sql` that refuses statements that write. Such a write would not be counted, so the caches would keep stale answers. */
export const readOnly =
  (sql: Sql): Sql =>
  async (text, values, made) => {
    if (WRITES.test(text)) throw new Error(`Deps.sql must not write; use Deps.write for: ${text}`);
    return sql(text, values, made);
  };

/** The parts of `Deps` for a database, with separate connections and a separate count of writes, as another process has them. */
export async function storeOf(orm: Database): Promise<Pick<Deps, 'sql' | 'write' | 'writes'>> {
  const writes = { count: 0 };
  return { sql: readOnly(await openSql(orm)), write: openWrite(orm, writes), writes };
}

/** Runs one statement that writes. */
export const runSql = (deps: Pick<Deps, 'write'>, text: string, values: readonly unknown[] = []) =>
  deps.write((tx) => sqlIn(tx)(text, values));

/**
 * Waits until `count` transactions wait for a lock. With the embedded database it returns immediately: it runs one transaction at
 * a time, so none can wait.
 */
export async function untilLocked({ sql }: Pick<Deps, 'sql'>, count = 1): Promise<void> {
  if (serverUrl === undefined) return;
  const locked = "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";
  await eventually(async () => (await sql(locked)).length >= count, 'too few transactions wait for a lock');
}
