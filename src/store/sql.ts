import { createHash } from 'node:crypto';
import type { PgliteConnection } from '@mikro-orm/pglite';
import type { PostgreSqlConnection } from '@mikro-orm/postgresql';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { CompiledQuery, type ControlledTransaction } from 'kysely';
import type { Database } from './database.js';

/**
 * Hot reads: SQL over MikroORM's own pool, without entities. Outside transactions only (the embedded database has
 * one connection, which a transaction holds). Both drivers give the same types: int8 is a number, numeric a bigint
 * (so an average must be cast to float8), timestamptz a Date.
 */
export type Sql = <Row extends object>(text: string, values?: readonly unknown[]) => Promise<Row[]>;

const INT8 = 20;
const NUMERIC = 1700;
const TIMESTAMPTZ = 1184;

const parsers: Readonly<Record<number, (text: string) => unknown>> = {
  [INT8]: Number,
  [NUMERIC]: BigInt,
  [TIMESTAMPTZ]: (text) => new Date(text.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00')),
};

export async function openSql(orm: Database): Promise<Sql> {
  const connection = orm.em.getConnection() as unknown as PostgreSqlConnection | PgliteConnection;
  const client = await connection.getNativeClient();
  if (!('totalCount' in client)) {
    return async <Row extends object>(text: string, values: readonly unknown[] = []) =>
      (await client.query<Row>(text, [...values], { parsers: { ...parsers } })).rows;
  }
  const { types } = (await import('pg')).default;
  const getTypeParser = (oid: number, format?: 'text' | 'binary') =>
    (format !== 'binary' && parsers[oid]) || types.getTypeParser(oid, format as 'text');
  return async <Row extends object>(text: string, values: readonly unknown[] = []) =>
    (await client.query({ name: statementName(text), text, values: [...values], types: { getTypeParser } as never }))
      .rows as Row[];
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

/** The values of one column, as text, and the type they are cast to. */
export type Column = readonly [type: string, values: readonly (string | number | bigint | Date | null)[]];

/** Inserts any number of rows in one statement. `conflict` is its ON CONFLICT clause, if any. */
export async function insertMany(
  sql: Sql,
  table: string,
  columns: Record<string, Column>,
  conflict = '',
): Promise<void> {
  const names = Object.keys(columns);
  if (Object.values(columns).every(([, values]) => values.length === 0)) return;
  await sql(
    `insert into ${table} (${names.join(', ')}) select ${casts(columns)} from ${unnest(columns)} ${conflict}`,
    arraysOf(columns),
  );
}

/** `a::type, b::type`: what a statement makes of unnested text. */
export const casts = (columns: Record<string, Column>): string =>
  Object.entries(columns)
    .map(([name, [type]]) => `given.${name}::${type}`)
    .join(', ');

export const unnest = (columns: Record<string, Column>): string =>
  `unnest(${Object.keys(columns)
    .map((_, i) => `$${i + 1}::text[]`)
    .join(', ')}) as given(${Object.keys(columns).join(', ')})`;

export const arraysOf = (columns: Record<string, Column>): unknown[] =>
  Object.values(columns).map(([, values]) =>
    values.map((value) => (value instanceof Date ? value.toISOString() : value === null ? null : String(value))),
  );

const names = new Map<string, string>();

/** A named statement is parsed and planned once a connection. Texts are few: they are constants of the queries. */
function statementName(text: string): string {
  let name = names.get(text);
  if (name === undefined) {
    name = createHash('sha256').update(text).digest('base64url').slice(0, 22);
    names.set(text, name);
  }
  return name;
}
