import { createPostgreSqlTypeParsers } from '@mikro-orm/sql';
import { PostgresDialect, type PostgresPool } from 'kysely';
import pg from 'pg';
import { parsers } from './parsers.js';
import { ConnectionPool } from './pool.js';

const TEXT_ARRAY = 1009;

/** Kysely dialect with this pool. `schema` is the search path; undefined for the server's default. */
export function createDialect(url: string, schema: string | undefined): PooledDialect {
  const types = new pg.TypeOverrides();
  // MikroORM needs all types of times except timestamptz as text, and parses the text itself.
  const all = { ...createPostgreSqlTypeParsers(pg.types.getTypeParser(TEXT_ARRAY as never)), ...parsers };
  for (const [oid, parser] of Object.entries(all)) types.setTypeParser(Number(oid), parser as never);
  const pool = new ConnectionPool({
    connectionString: url,
    types,
    ...(schema && { options: `-c search_path=${schema}` }),
  });
  return new PooledDialect(pool);
}

export class PooledDialect extends PostgresDialect {
  constructor(readonly pool: ConnectionPool) {
    super({ pool: pool as unknown as PostgresPool });
  }
}
