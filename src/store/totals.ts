import type { Cache } from '../cache/cache.js';
import type { Sql } from './sql.js';

type TotalDeps = { readonly sql: Sql; readonly caches: { readonly totals: Cache } };

/** A number of rows from the cache `totals`. `text` is the query, which selects the number as `n`. */
export const totalOf = ({ sql, caches }: TotalDeps, text: string, values: readonly unknown[] = []): Promise<number> =>
  caches.totals.get(
    `${text}\n${JSON.stringify(values)}`,
    async () => (await sql<{ n: number }>(text, values))[0]?.n ?? 0,
    (n) => n,
  );
