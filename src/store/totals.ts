import type { Cache } from './cache.js';
import type { Sql } from './sql.js';

type Reader = { readonly sql: Sql; readonly caches: { readonly totals: Cache } };

/** A cached count of rows. `text` selects it as `n`. */
export const totalOf = ({ sql, caches }: Reader, text: string, values: readonly unknown[] = []): Promise<number> =>
  caches.totals.get(
    `${text}\n${JSON.stringify(values)}`,
    async () => (await sql<{ n: number }>(text, values))[0]?.n ?? 0,
    (n) => n,
  );
