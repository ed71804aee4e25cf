import { type Declared, remoteCaches, serviceCaches } from '../../../freshness.js';
import { type Chapter, table } from './chapter.js';

export const freshness: Chapter = {
  id: 'freshness',
  title: 'Freshness',
  text: () => `These values are cached. Everything else is read for each request. A write through one replica is seen by that replica as the
table says, and by the others when the cached value expires. Send \`Cache-Control: no-cache\` or your API key to bypass the cached public answers.

${table(['Value', 'Maximum age', 'Invalidated by'], rows())}`,
};

export const rows = (): string[][] =>
  Object.values<Declared>({ ...serviceCaches, ...remoteCaches }).flatMap((cache) => [
    [cache.description, ageOf(cache), invalidationOf(cache)],
    ...(cache.large ?? []).map((row) => [
      `${cache.description}, from ${row.minSize.toLocaleString('en')} ${cache.unit}`,
      ageOf(row),
      invalidationOf(row),
    ]),
  ]);

function ageOf({ ttlMs, staleMs }: Pick<Declared, 'ttlMs' | 'staleMs'>): string {
  if (ttlMs === Number.POSITIVE_INFINITY) return 'unlimited: the value never changes';
  return staleMs ? `${ttlMs / 1000} s; ${staleMs / 1000} s while a new value is loaded` : `${ttlMs / 1000} s`;
}

const invalidationOf = ({ untilWrite, untilTrade }: Pick<Declared, 'untilWrite' | 'untilTrade'>): string =>
  untilWrite ? 'every write' : untilTrade ? 'a recorded trade of the wallet' : '';
