import type { Logger } from 'pino';
import { remoteCaches } from '../freshness.js';
import { Cache } from '../store/cache.js';

export const FALLBACK_USD = 2500;
/** For the whole answer, its body included. */
const TIMEOUT_MS = 3000;
const MAX_BYTES = 64 * 1024;
/** A price that differs from the last accepted one by more than this factor, up or down, is refused. */
const MAX_JUMP = 10;
/** After this time without an accepted price there is nothing to compare with: the market may have moved. */
const JUMP_MS = 60 * 60_000;
/** How deep in the answer the price may stand. */
const MAX_DEPTH = 8;

/**
 * US dollars for 1 ETH, asked for every five minutes at most, by one request for all callers. Without a source, or when
 * its answer fails or is refused, a fixed price: no caller waits for the source twice in five minutes, and none fails.
 */
export function ethUsd(options: { url: string | undefined; log: Logger; now: () => number }): () => Promise<number> {
  const { url, log, now } = options;
  if (url === undefined) return async () => FALLBACK_USD;
  const cache = new Cache(remoteCaches.ethUsd, now);
  let accepted: { readonly price: number; readonly until: number } | undefined;

  const ask = async (): Promise<number> => {
    const price = priceIn(await readJson(url));
    if (price === undefined) throw new Error('the answer has no price');
    if (!Number.isFinite(price) || price <= 0) throw new Error(`${price} is no price`);
    const compared = accepted !== undefined && now() < accepted.until ? accepted.price : price;
    if (price > compared * MAX_JUMP || price < compared / MAX_JUMP) {
      throw new Error(`${price} is more than ${MAX_JUMP} times away from the last price, ${compared}`);
    }
    accepted = { price, until: now() + JUMP_MS };
    return price;
  };
  const askOrFallBack = (): Promise<number> =>
    ask().catch((error: unknown) => {
      log.warn({ err: error }, `no price from ETH_USD_URL: using ${FALLBACK_USD}`);
      return FALLBACK_USD;
    });
  return () => cache.get('', askOrFallBack);
}

/** Redirects are refused: the operator names the source, and nobody else names another. */
async function readJson(url: string): Promise<unknown> {
  const abort = new AbortController();
  const signal = AbortSignal.any([abort.signal, AbortSignal.timeout(TIMEOUT_MS)]);
  try {
    const response = await fetch(url, { signal, redirect: 'error' });
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of response.body ?? []) {
      size += chunk.length;
      if (size > MAX_BYTES) throw new Error(`the answer is longer than ${MAX_BYTES} bytes`);
      chunks.push(chunk);
    }
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } finally {
    // Ends the connection of an answer that was not read to its end.
    abort.abort();
  }
}

/** The first price among the fields that such sources use, the outer ones first. */
function priceIn(json: unknown, depth = 1): number | undefined {
  if (typeof json !== 'object' || json === null || depth > MAX_DEPTH) return undefined;
  const fields = Object.entries(json);
  for (const [name, value] of fields) {
    if (!['usd', 'price', 'amount', 'last'].includes(name.toLowerCase())) continue;
    if (typeof value === 'number') return value;
    if (typeof value === 'string' && value.trim() !== '' && !Number.isNaN(Number(value))) return Number(value);
  }
  for (const [, value] of fields) {
    const price = priceIn(value, depth + 1);
    if (price !== undefined) return price;
  }
  return undefined;
}
