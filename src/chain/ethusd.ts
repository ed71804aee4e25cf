import type { Logger } from 'pino';
import { cached } from '../cache.js';

export const FALLBACK_USD = 2500;
const CACHE_MS = 5 * 60_000;
const TIMEOUT_MS = 3000;

/**
 * US dollars for 1 ETH, asked for every five minutes at most. Without a source, or while it fails, a fixed price: no
 * request waits for it twice in five minutes, and none fails for it.
 */
export function ethUsd(options: { url: string | undefined; log: Logger; now: () => number }): () => Promise<number> {
  const { url, log, now } = options;
  if (url === undefined) return async () => FALLBACK_USD;
  return cached(CACHE_MS, now, async () => {
    try {
      const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
      const price = priceIn(await response.json());
      if (!response.ok || price === undefined) throw new Error(`HTTP ${response.status} without a price`);
      return price;
    } catch (error) {
      log.warn({ err: error }, `no price from ETH_USD_URL: using ${FALLBACK_USD}`);
      return FALLBACK_USD;
    }
  });
}

/** The first positive number among the fields that such sources use, one level down at most. */
function priceIn(json: unknown): number | undefined {
  if (typeof json !== 'object' || json === null) return undefined;
  const fields = Object.entries(json);
  for (const [name, value] of fields) {
    const price = ['usd', 'price', 'amount', 'last'].includes(name.toLowerCase()) ? Number(value) : Number.NaN;
    if (Number.isFinite(price) && price > 0) return price;
  }
  for (const [, value] of fields) {
    const price = typeof value === 'object' ? priceIn(value) : undefined;
    if (price !== undefined) return price;
  }
  return undefined;
}
