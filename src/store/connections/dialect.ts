import { createPostgreSqlTypeParsers } from '@mikro-orm/sql';
import { PostgresDialect, type PostgresPool } from 'kysely';
import pg from 'pg';
import type { Times } from '../../times.js';
import { parsers } from './parsers.js';
import { ConnectionPool, type PoolOptions } from './pool.js';

const TEXT_ARRAY = 1009;

/** `schema`: the search path, if not the server's default. */
type SessionOptions = PoolOptions & { readonly schema?: string };

export function createPool(url: string, times: Times, { schema, ...options }: SessionOptions = {}): ConnectionPool {
  const types = new pg.TypeOverrides();
  // MikroORM needs all types of times except timestamptz as text, and parses the text itself.
  const all = { ...createPostgreSqlTypeParsers(pg.types.getTypeParser(TEXT_ARRAY as never)), ...parsers };
  for (const [oid, parser] of Object.entries(all)) types.setTypeParser(Number(oid), parser);
  const session = schema && { options: `-c search_path=${schema}` };
  return new ConnectionPool({ connectionString: url, types, ...session }, times, options);
}

export class PooledDialect extends PostgresDialect {
  constructor(readonly pool: ConnectionPool) {
    super({ pool: pool as unknown as PostgresPool });
  }
}
