import type { Logger } from 'pino';
import { Cache } from '../cache/cache.js';
import { remoteCaches } from '../cache/caches.js';
import type { Times } from '../config/timeouts.js';

export const FALLBACK_USD = 2500;
const MAX_BYTES = 64 * 1024;
/** Maximum factor between a price and the last accepted price, up or down. A price that differs more is refused. */
const MAX_JUMP = 10;
/** Age of the last accepted price after which a jump is not checked: the market may have moved. */
const JUMP_MS = 60 * 60_000;
/** Maximum nesting depth at which the price is searched in the answer. */
const MAX_DEPTH = 8;

/**
 * Price of 1 ETH in US dollars, cached for 5 minutes. Concurrent callers share one request. Returns FALLBACK_USD if no
 * URL is configured, or if the request fails or its price is refused; the fallback is cached too.
 */
export function ethUsd(options: {
  readonly url: string | undefined;
  readonly log: Logger;
  readonly now: () => number;
  readonly times: Times;
}): () => Promise<number> {
  const { url, log, now, times } = options;
  if (url === undefined) return async () => FALLBACK_USD;
  const cache = new Cache(remoteCaches.ethUsd, now);
  let accepted: { readonly price: number; readonly until: number } | undefined;

  const ask = async (): Promise<number> => {
    const price = priceIn(await readJson(url, times));
    if (price === undefined) throw new Error('the answer has no price');
    if (!Number.isFinite(price) || price <= 0) throw new Error(`${price} is not a valid price`);
    const compared = accepted !== undefined && now() < accepted.until ? accepted.price : price;
    if (price > compared * MAX_JUMP || price < compared / MAX_JUMP) {
      throw new Error(`${price} differs from the last price, ${compared}, by more than a factor of ${MAX_JUMP}`);
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

/** Reads JSON of limited size. Refuses redirects, because only the operator may choose the source. */
async function readJson(url: string, times: Times): Promise<unknown> {
  const abort = new AbortController();
  const cancel = times.after(times.etherPrice, () => abort.abort(new Error('no answer in time')));
  try {
    const response = await fetch(url, { signal: abort.signal, redirect: 'error' });
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
    cancel();
    // Closes the connection if the body was not read to its end.
    abort.abort();
  }
}

/** The price in an answer: the first number in a field whose name price APIs use. Outer fields come before nested ones. */
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
