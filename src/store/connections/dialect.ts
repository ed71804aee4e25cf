import { createPostgreSqlTypeParsers } from '@mikro-orm/sql';
import { PostgresDialect, type PostgresPool } from 'kysely';
import pg from 'pg';
import type { Times } from '../../times.js';
import { parsers } from './parsers.js';
import { ConnectionPool } from './pool.js';
import { type Pool, RoutedPool } from './routed-pool.js';

const TEXT_ARRAY = 1009;

/** Kysely dialect with a pool. `schema`: the search path, if not the server's default. */
export function createDialect(url: string, times: Times, schema?: string): PooledDialect {
  return new PooledDialect(createPool(url, times, { schema }));
}

/** Kysely dialect whose requests use a pooler in transaction mode. */
export function createRoutedDialect(url: string, poolerUrl: string, times: Times): PooledDialect {
  return new PooledDialect(new RoutedPool(createPool(url, times), createPool(poolerUrl, times, { shared: true })));
}

type PoolOptions = { readonly schema?: string | undefined; readonly shared?: boolean };

export function createPool(url: string, times: Times, options: PoolOptions = {}): ConnectionPool {
  const { schema, shared = false } = options;
  const types = new pg.TypeOverrides();
  // MikroORM needs all types of times except timestamptz as text, and parses the text itself.
  const all = { ...createPostgreSqlTypeParsers(pg.types.getTypeParser(TEXT_ARRAY as never)), ...parsers };
  for (const [oid, parser] of Object.entries(all)) types.setTypeParser(Number(oid), parser as never);
  const session = schema && { options: `-c search_path=${schema}` };
  return new ConnectionPool({ connectionString: url, types, ...session }, times, { shared });
}

export class PooledDialect extends PostgresDialect {
  constructor(readonly pool: Pool) {
    super({ pool: pool as unknown as PostgresPool });
  }
}
