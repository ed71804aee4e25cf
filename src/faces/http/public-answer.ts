import type { Context } from 'koa';
import { type ByteCache, type Bytes, bytesOf } from '../byte-cache.js';

/** Clients send `Cache-Control: no-cache` to bypass cached answers that another replica's write may have made stale. */
export const asksForNew = (ctx: Context): boolean => /\bno-(cache|store)\b/i.test(ctx.get('Cache-Control'));

/** The bytes of a public answer, cached under `key`. */
export async function publicBytes(
  kept: ByteCache,
  ctx: Context,
  key: string,
  answer: () => Promise<string>,
): Promise<Bytes> {
  if (asksForNew(ctx)) return bytesOf(await answer());
  return kept.get(key, answer);
}

/** Sends a public answer. Clients may cache it and must revalidate it before each reuse. */
export function sendPublic(ctx: Context, type: string, { bytes, etag }: Bytes): void {
  ctx.status = 200;
  ctx.type = type;
  ctx.set('Cache-Control', 'public, no-cache');
  ctx.set('ETag', etag);
  if (ctx.method !== 'POST' && isNamed(ctx.get('If-None-Match'), etag)) ctx.status = 304;
  else ctx.body = bytes;
}

/** Replaces Koa's `fresh`, which sends the whole body for `Cache-Control: no-cache`: fetch sends that with every If-None-Match. */
export const isNamed = (names: string, etag: string): boolean =>
  names !== '' && names.split(',').some((name) => ['*', etag, `W/${etag}`].includes(name.trim()));
