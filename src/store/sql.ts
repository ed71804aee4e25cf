import { createHash } from 'node:crypto';
import type { PgliteConnection } from '@mikro-orm/pglite';
import type { PostgreSqlConnection } from '@mikro-orm/postgresql';
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
