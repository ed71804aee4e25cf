import { hash } from 'node:crypto';
import type { Context } from 'koa';
import type { Cache } from '../../cache/cache.js';

export type Bytes = { readonly bytes: Buffer; readonly etag: string };

export function bytesOf(content: string | Uint8Array): Bytes {
  const bytes = Buffer.from(content as Uint8Array);
  return { bytes, etag: `"${hash('sha1', bytes, 'base64url')}"` };
}

/** Whether a request bypasses the cache. A client asks for this after a write to another replica, which this cache may lack. */
export const bypassesCache = (ctx: Pick<Context, 'get'>): boolean => /\bno-(cache|store)\b/i.test(ctx.get('Cache-Control'));

/** The bytes of a public answer. The key must contain everything the answer depends on, and the answer must be public. */
export async function publicBytes(
  cache: Cache,
  ctx: Pick<Context, 'get'>,
  key: string,
  answer: () => Promise<string>,
): Promise<Bytes> {
  const load = async () => bytesOf(await answer());
  return bypassesCache(ctx) ? load() : cache.get(key, load, ({ bytes }) => bytes.length);
}

/** Sends a public answer. By default, clients may cache it and must revalidate it before each reuse. */
export function sendPublic(ctx: Context, type: string, { bytes, etag }: Bytes, cacheControl = 'public, no-cache'): void {
  ctx.status = 200;
  ctx.type = type;
  ctx.set('Cache-Control', cacheControl);
  ctx.set('ETag', etag);
  if (ctx.method !== 'POST' && matchesEtag(ctx.get('If-None-Match'), etag)) ctx.status = 304;
  else ctx.body = bytes;
}

/**
 * Whether If-None-Match names the ETag. Koa's `fresh` ignores If-None-Match next to `Cache-Control: no-cache`, which fetch adds.
 */
export const matchesEtag = (ifNoneMatch: string, etag: string): boolean =>
  ifNoneMatch !== '' && ifNoneMatch.split(',').some((name) => ['*', etag, `W/${etag}`].includes(name.trim()));

/** The weak ETag of a private answer. */
export const weakEtag = (text: string): string => `W/"${hash('sha1', text, 'base64url')}"`;

/**
 * Sets the weak ETag of a private answer, and returns whether the client already has this answer. `If-None-Match: *` names no
 * particular answer, so the client gets the answer again.
 */
export function isUnchanged(ctx: Context, etag: string): boolean {
  ctx.set('ETag', etag);
  const named = ctx.get('If-None-Match');
  return !named.includes('*') && matchesEtag(named, etag.replace('W/', ''));
}
