import { createHash } from 'node:crypto';
import type { PgliteConnection } from '@mikro-orm/pglite';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { CompiledQuery, type ControlledTransaction } from 'kysely';
import { changesOf } from './changes.js';
import { type Database, poolOf } from './database.js';
import { writes } from './writes.js';

/** A text is a constant of the code, or was put together from what a caller asks for. */
export type Made = 'constant' | 'composed';

/**
 * Hot reads: SQL over MikroORM's own pool, without entities. Outside transactions only (the embedded database has
 * one connection, which a transaction holds). Both drivers give the same types: int8 is a number, numeric a bigint
 * (so an average must be cast to float8), timestamptz a Date.
 */
export type Sql = <Row extends object>(text: string, values?: readonly unknown[], made?: Made) => Promise<Row[]>;

const INT8 = 20;
const NUMERIC = 1700;
const TIMESTAMPTZ = 1184;

const parsers: Readonly<Record<number, (text: string) => unknown>> = {
  [INT8]: Number,
  [NUMERIC]: BigInt,
  [TIMESTAMPTZ]: (text) =>
    // Sessions are in UTC; the long way takes three times as long.
    new Date(text.endsWith('+00') ? `${text.slice(0, 10)}T${text.slice(11, -3)}Z` : inZone(text)),
};

const inZone = (text: string): string => text.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00');

export async function openSql(orm: Database): Promise<Sql> {
  const pool = poolOf(orm);
  if (pool === undefined) {
    const client = await (orm.em.getConnection() as unknown as PgliteConnection).getNativeClient();
    return counting(
      orm,
      async <Row extends object>(text: string, values: readonly unknown[] = []) =>
        (await client.query<Row>(text, [...values], { parsers: { ...parsers } })).rows,
    );
  }
  const { types } = (await import('pg')).default;
  const getTypeParser = (oid: number, format?: 'text' | 'binary') =>
    (format !== 'binary' && parsers[oid]) || types.getTypeParser(oid, format as 'text');
  return counting(
    orm,
    async <Row extends object>(text: string, values: readonly unknown[] = [], made: Made = 'constant') =>
      (
        await pool.query<Row>({
          ...named(names[made](text)),
          text,
          values: [...values],
          types: { getTypeParser } as never,
        })
      ).rows,
  );
}

const named = (name: string | undefined) => (name === undefined ? {} : { name });

/** The same; what it writes is counted among the changes. */
function counting(orm: Database, sql: Sql): Sql {
  const changes = changesOf(orm);
  const known = new Map<string, boolean>();
  return <Row extends object>(text: string, values?: readonly unknown[], made?: Made) => {
    let changing = known.get(text);
    if (changing === undefined) {
      changing = writes(text);
      if (known.size >= MOST_NAMED) known.clear();
      known.set(text, changing);
    }
    const rows = sql<Row>(text, values, made);
    return changing
      ? rows.finally(() => {
          changes.note();
        })
      : rows;
  };
}

/**
 * The same inside a transaction, on its connection. Types are the driver's: int8 a number or a string, numeric and
 * timestamptz strings, so the caller converts with Number, BigInt and new Date, which take either.
 */
export function sqlIn(tx: SqlEntityManager): Sql {
  const context = tx.getTransactionContext<ControlledTransaction<unknown>>();
  if (context === undefined) throw new Error('sqlIn needs a transaction');
  return async <Row extends object>(text: string, values: readonly unknown[] = []) =>
    (await context.executeQuery(CompiledQuery.raw(text, [...values]))).rows as Row[];
}

/** The values of one column, and their type. */
export type Column = readonly [type: string, values: readonly (string | number | bigint | Date | null)[]];

/** Inserts any number of rows in one statement. `conflict` is its ON CONFLICT clause, if any. */
export async function insertMany(
  sql: Sql,
  table: string,
  columns: Record<string, Column>,
  conflict = '',
): Promise<void> {
  if (Object.values(columns).every(([, values]) => values.length === 0)) return;
  const names = Object.keys(columns).join(', ');
  await sql(`insert into ${table} (${names}) select * from ${unnest(columns)} ${conflict}`, arraysOf(columns));
}

/** The columns as rows of `given`: what a statement selects from. */
export const unnest = (columns: Record<string, Column>): string =>
  `unnest(${Object.values(columns)
    .map(([type], i) => `$${i + 1}::${type}[]`)
    .join(', ')}) as given(${Object.keys(columns).join(', ')})`;

/**
 * The arrays in the text form of PostgreSQL. The drivers would write them too, but take each element for what may have to
 * be escaped: for a backfill, that was as much work as all else that is done with a trade.
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

/** A connection of PostgreSQL keeps every statement that was named until it ends. */
const MOST_NAMED = 250;

/**
 * A named statement is parsed and planned once a connection. Texts that are put together from what a caller asks for may
 * be many, so that only what comes again has a name, and no more than so many have.
 */
export function statementNames(most: number): (text: string) => string | undefined {
  const names = new Map<string, string>();
  const once = new Set<string>();
  return (text) => {
    const known = names.get(text);
    if (known !== undefined || names.size >= most) return known;
    if (!once.delete(text)) {
      if (once.size >= most) once.clear();
      once.add(text);
      return undefined;
    }
    const name = createHash('sha256').update(text).digest('base64url').slice(0, 22);
    names.set(text, name);
    return name;
  };
}

/** By themselves, so that no caller can take the names from the constants. */
const names: Readonly<Record<Made, (text: string) => string | undefined>> = {
  constant: statementNames(MOST_NAMED),
  composed: statementNames(MOST_NAMED),
};

/** The sizes of pages that are asked for most, and the largest. */
const PAGE_SIZES = [5, 10, 20, 50, 100];

/**
 * `limit` with a number in the text, not below the size of a page. Of a limit that is a parameter the planner thinks that
 * it is a tenth of the table: it would plan for that, or plan each request anew.
 */
export const atMost = (size: number): string => `limit ${PAGE_SIZES.find((one) => one >= size) ?? 1000}`;

/**
 * A parameter that tells the planner nothing, so that it makes one plan for all requests. Where it can see that a time is
 * a day ago, the plan for that looks so much better than the one for any time that it plans each request anew, which
 * takes it as long as the page itself.
 */
export const unseen = (parameter: string, type: 'int' | 'timestamptz' | 'int[]' | 'text[]'): string =>
  `(select ${parameter}::${type})`;
