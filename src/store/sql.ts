import { createHash } from 'node:crypto';
import type { EntityProperty, EntitySchema } from '@mikro-orm/core';
import type { PgliteConnection } from '@mikro-orm/pglite';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { CompiledQuery, type ControlledTransaction } from 'kysely';
import type { WriteCount } from '../cache/cache.js';
import { type Refusal, refusalOf } from '../observe/database-errors.js';
import { traced, tracedSql } from '../observe/spans.js';
import type { ConnectionPool, PooledDialect } from './connections/pool.js';
import type { Database } from './database.js';

/**
 * Origin of a SQL text: a constant of the code, or composed of parts that a caller chooses. Each origin has a separate limit of
 * prepared statements (`sqlOver`).
 */
export type TextOrigin = 'constant' | 'composed';

/**
 * Runs a SQL statement without entities and returns its rows: outside of transactions (`openSql`, `sqlOver`), or in a transaction
 * (`sqlIn`). `origin` has an effect only where statements get names, which is in `sqlOver`.
 */
export type Sql = <Row extends object>(text: string, values?: readonly unknown[], origin?: TextOrigin) => Promise<Row[]>;

/**
 * Runs queries over the pool of a PostgreSQL server, or over the single connection of the embedded database. For reads only: the
 * service writes with `Deps.write`, which counts writes for the caches. Do not call the result inside a transaction: in the
 * embedded database, the transaction occupies the connection.
 */
export async function openSql(orm: Database): Promise<Sql> {
  const pool = poolOf(orm);
  if (pool === undefined) {
    const client = await (orm.em.getConnection() as PgliteConnection).getNativeClient();
    return <Row extends object>(text: string, values: readonly unknown[] = []) =>
      tracedSql(text, async () => (await client.query<Row>(text, [...values])).rows);
  }
  return sqlOver(pool);
}

/** Connection pool of a PostgreSQL server. undefined for the embedded database, which has no pool. */
export function poolOf({ config }: { config: { get(name: 'driverOptions'): unknown } }): ConnectionPool | undefined {
  const options: unknown = config.get('driverOptions');
  return typeof options === 'function' ? (options() as PooledDialect).pool : undefined;
}

/** Runs queries over a pool of connections to a PostgreSQL server. */
export function sqlOver(pool: ConnectionPool): Sql {
  // Names of prepared statements. Constant and composed SQL texts have separate limits, so that composed texts leave names for
  // constant texts.
  const names: Readonly<Record<TextOrigin, (text: string) => string | undefined>> = {
    constant: statementNames(MAX_NAMED),
    composed: statementNames(MAX_NAMED),
  };
  return async <Row extends object>(text: string, values: readonly unknown[] = [], origin: TextOrigin = 'constant') => {
    const name = names[origin](text);
    return (await pool.query<Row>({ ...(name && { name }), text, values: [...values] })).rows;
  };
}

/** Runs statements, also writes, in the transaction of `tx`. Throws if `tx` has no transaction. */
export function sqlIn(tx: SqlEntityManager): Sql {
  const context = tx.getTransactionContext<ControlledTransaction<unknown>>();
  if (context === undefined) throw new Error('sqlIn needs a transaction');
  const run = async <Row extends object>(text: string, values: readonly unknown[] = []) =>
    (await context.executeQuery(CompiledQuery.raw(text, [...values]))).rows as Row[];
  // The connection pool of a PostgreSQL server traces each statement itself.
  if (poolOf(tx) !== undefined) return run;
  return <Row extends object>(text: string, values: readonly unknown[] = []) => tracedSql(text, () => run<Row>(text, values));
}

/** The values of one column, with their SQL type. */
export type Column = readonly [type: string, values: readonly (string | number | bigint | boolean | Date | null)[]];

/** Inserts rows in one statement. `conflict` is an ON CONFLICT clause. */
export async function insertMany(sql: Sql, table: string, columns: Record<string, Column>, conflict = ''): Promise<void> {
  if (Object.values(columns).every(([, values]) => values.length === 0)) return;
  const names = Object.keys(columns).join(', ');
  await sql(`insert into ${table} (${names}) select * from ${unnest(columns)} ${conflict}`, arraysOf(columns));
}

/** Inserts rows of an entity in one statement. With `replaces`, rows with the same primary keys are overwritten. */
export async function insertRows<E extends object>(
  tx: SqlEntityManager,
  entity: EntitySchema<E>,
  rows: readonly E[],
  { replaces = false } = {},
): Promise<void> {
  const { tableName, props } = tx.getMetadata(entity);
  const keys = props.filter(({ primary }) => primary).flatMap(({ fieldNames }) => fieldNames);
  const columns = columnsOf(props, rows);
  const changes = Object.keys(columns).flatMap((name) => (keys.includes(name) ? [] : [`${name} = excluded.${name}`]));
  await insertMany(sqlIn(tx), tableName, columns, replaces ? `on conflict (${keys}) do update set ${changes}` : '');
}

/**
 * Deletes the rows of an entity in one statement. The elements of `rows` contain the primary keys, or the same part of the keys.
 */
export async function deleteRows<E extends object>(
  tx: SqlEntityManager,
  entity: EntitySchema<E>,
  rows: readonly Partial<E>[],
): Promise<void> {
  const [first] = rows;
  if (first === undefined) return;
  const { tableName, props } = tx.getMetadata(entity);
  const keys = props.filter(({ primary, name }) => primary && name in first);
  const columns = columnsOf(keys, rows);
  const conditions = Object.keys(columns)
    .map((name) => `${tableName}.${name} = given.${name}`)
    .join(' and ');
  await sqlIn(tx)(`delete from ${tableName} using ${unnest(columns)} where ${conditions}`, arraysOf(columns));
}

/** The values of some properties of an entity, as columns of its table for `unnest`. */
const columnsOf = <E extends object>(props: readonly EntityProperty<E>[], rows: readonly Partial<E>[]): Record<string, Column> =>
  Object.fromEntries(
    props.map(({ name, fieldNames: [column = ''], columnTypes: [type = ''] }) => {
      const values = rows.map((row) => row[name]) as Column[1];
      // Omits the length of the type: a cast to varchar(15) would cut off a longer text without an error.
      return [column, [type.replace(/\(.*/, ''), values]];
    }),
  );

/** A FROM item named `given` with the columns as rows. Its parameters are those of `arraysOf`. */
export const unnest = (columns: Record<string, Column>): string =>
  `unnest(${Object.values(columns)
    .map(([type], i) => `$${i + 1}::${type}[]`)
    .join(', ')}) as given(${Object.keys(columns).join(', ')})`;

/**
 * Writes columns as array literals of PostgreSQL. If the drivers got arrays instead, they would escape every element, which took
 * half of a backfill's processor time.
 */
export const arraysOf = (columns: Record<string, Column>): string[] =>
  Object.values(columns).map(([, values]) => `{${values.map(elementOf).join(',')}}`);

function elementOf(value: Column[1][number]): string {
  if (value === null) return 'NULL';
  if (typeof value === 'string') return plain.test(value) && value.toLowerCase() !== 'null' ? value : quoted(value);
  return value instanceof Date ? value.toISOString() : String(value);
}

const plain = /^[\w-]+$/;
const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;

/** Maximum number of named statements per origin. A PostgreSQL connection keeps each of them until it closes. */
const MAX_NAMED = 250;

/**
 * Assigns names to statements. PostgreSQL parses and plans a named statement once per connection. A text gets a name at its
 * second use, until `limit` texts have one: the number of composed texts is unbounded.
 */
export function statementNames(limit: number): (text: string) => string | undefined {
  const names = new Map<string, string>();
  const usedOnce = new Set<string>();
  return (text) => {
    const existing = names.get(text);
    if (existing !== undefined || names.size >= limit) return existing;
    if (!usedOnce.delete(text)) {
      if (usedOnce.size >= limit) usedOnce.clear();
      usedOnce.add(text);
      return undefined;
    }
    const name = createHash('sha256').update(text).digest('base64url').slice(0, 22);
    names.set(text, name);
    return name;
  };
}

export type WriteOptions = {
  /** False if no other caller reads the changes. The write is then not counted, so cached values stay valid. @default true */
  readonly invalidates?: boolean;
};

export type RefusedWrites = {
  /** Called when the database refused a write because it is read-only or full. The transaction changed nothing. */
  readonly onRefused: (refusal: Refusal) => void;
  /** Called when the embedded database has crashed, because it could not write its log. It answers no more statements. */
  readonly onCrash?: (() => void) | undefined;
};

/** Runs `work` in one transaction and counts it as a write, which makes cached values of this process stale. */
export type Write = <T>(work: (tx: SqlEntityManager) => Promise<T>, options?: WriteOptions) => Promise<T>;

export function openWrite(orm: Database, writes: WriteCount, refused?: RefusedWrites): Write {
  return (work, { invalidates = true } = {}) =>
    traced(
      () => ({ name: 'transaction' }),
      async () => {
        // True when `work` has succeeded, so that the commit may have been sent.
        let committing = false;
        try {
          return await (orm.em.fork() as SqlEntityManager).transactional(async (tx) => {
            const result = await work(tx);
            committing = true;
            return result;
          });
        } catch (error) {
          const refusal = refusalOf(error);
          if (refusal !== undefined) {
            const { severity } = error as { severity?: string };
            if (severity === 'PANIC') refused?.onCrash?.();
            else refused?.onRefused(refusal);
          }
          throw error;
        } finally {
          // Failed commits count too: the server may have committed before the connection broke.
          if (committing && invalidates) writes.count++;
        }
      },
    );
}
