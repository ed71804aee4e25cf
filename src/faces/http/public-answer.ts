import type { Context } from 'koa';
import { type ByteCache, type Bytes, bytesOf } from '../byte-cache.js';

/** A caller that must not be given what another replica's write has made old says so as HTTP has it. */
export const asksForNew = (ctx: Context): boolean => /\bno-(cache|store)\b/i.test(ctx.get('Cache-Control'));

/** The bytes of a public answer, kept under `key`. */
export async function publicBytes(
  kept: ByteCache,
  ctx: Context,
  key: string,
  answer: () => Promise<string>,
): Promise<Bytes> {
  if (asksForNew(ctx)) return bytesOf(await answer());
  return kept.get(key, answer);
}

/** Others may keep it, and must ask before they show it again whether it is still the same. */
export function sendPublic(ctx: Context, type: string, { bytes, etag }: Bytes): void {
  ctx.status = 200;
  ctx.type = type;
  ctx.set('Cache-Control', 'public, no-cache');
  ctx.set('ETag', etag);
  if (ctx.method !== 'POST' && isNamed(ctx.get('If-None-Match'), etag)) ctx.status = 304;
  else ctx.body = bytes;
}

/** Not Koa's `fresh`: that gives whole answers to `Cache-Control: no-cache`, which fetch sends with every If-None-Match. */
export const isNamed = (names: string, etag: string): boolean =>
  names !== '' && names.split(',').some((name) => ['*', etag, `W/${etag}`].includes(name.trim()));
