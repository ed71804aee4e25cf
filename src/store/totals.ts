import type { Cache } from '../cache/cache.js';
import type { Sql } from './sql.js';

type TotalDeps = { readonly sql: Sql; readonly caches: { readonly totals: Cache } };

/** Counts rows with the query `text`, which selects their number as `n`. The number comes from the cache `totals`. */
export const totalOf = ({ sql, caches }: TotalDeps, text: string, values: readonly unknown[] = []): Promise<number> =>
  caches.totals.get(
    `${text}\n${JSON.stringify(values)}`,
    async () => (await sql<{ n: number }>(text, values))[0]?.n ?? 0,
    // The size of the cached value is the number itself: the cache serves large totals longer, also after a write (`large` in
    // caches.ts).
    (n) => n,
  );
