import { type Declared, remoteCaches, serviceCaches } from '../../freshness.js';
import { table } from './markdown.js';

/** Table of all caches, for `/docs` and docs/caching.md. */
export function freshnessTable(): string {
  const rows = Object.values<Declared>({ ...serviceCaches, ...remoteCaches }).flatMap((cache) => [
    [cache.description, ageOf(cache), invalidationOf(cache)],
    ...(cache.large ?? []).map((row) => [
      `${cache.description}, from ${row.minSize.toLocaleString('en')} ${cache.unit}`,
      ageOf(row),
      invalidationOf(row),
    ]),
  ]);
  return table(['Value', 'Maximum age', 'Invalidated by'], rows);
}

function ageOf({ ttlMs, staleMs }: Pick<Declared, 'ttlMs' | 'staleMs'>): string {
  if (ttlMs === Number.POSITIVE_INFINITY) return 'unlimited: the value never changes';
  return staleMs ? `${ttlMs / 1000} s; ${staleMs / 1000} s while a new value is loaded` : `${ttlMs / 1000} s`;
}

const invalidationOf = ({ untilWrite, untilTrade }: Pick<Declared, 'untilWrite' | 'untilTrade'>): string =>
  untilWrite ? 'every write' : untilTrade ? 'a recorded trade of the wallet' : '';
