import type { Context, Next } from 'koa';
import { AppError } from '../errors.js';

/** What the pages of the service need and no more: their own files, inline styles, and nothing from elsewhere. */
const POLICY = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'";

export const SECURITY_HEADERS = {
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'strict-origin-when-cross-origin',
  'Content-Security-Policy': POLICY,
} as const;

/** Security headers on every answer, errors included. */
export function securityHeaders(ctx: Context, next: Next): Promise<void> {
  for (const [name, value] of SECURITY) ctx.res.setHeader(name, value);
  return next();
}
const SECURITY = Object.entries(SECURITY_HEADERS);

const EXPOSED = 'RateLimit, RateLimit-Policy, Retry-After, X-Request-Id';

/** Answers the configured origins; others get no CORS header, and their preflight is refused. */
export function cors(origins: readonly string[]) {
  return async (ctx: Context, next: Next): Promise<void> => {
    const origin = ctx.get('Origin');
    // Also without one: a cache must not give an allowed origin what it keeps for none.
    ctx.set('Vary', 'Origin');
    if (origin === '') return next();
    const allowed = origins.includes(origin);
    if (allowed) {
      ctx.set('Access-Control-Allow-Origin', origin);
      ctx.set('Access-Control-Expose-Headers', EXPOSED);
    }
    if (ctx.method !== 'OPTIONS' || ctx.get('Access-Control-Request-Method') === '') return next();
    if (!isAllowedOrigin(origin, ctx.host, origins)) throw new AppError('ORIGIN_REFUSED');
    ctx.set('Access-Control-Allow-Methods', 'GET, POST, PATCH, DELETE');
    ctx.set('Access-Control-Allow-Headers', 'Content-Type, X-Api-Key, Apollo-Require-Preflight, Last-Event-ID');
    ctx.set('Access-Control-Max-Age', '600');
    ctx.status = 204;
  };
}

/** Whether a page of this origin may call: one that is configured, or of this service itself. */
export const isAllowedOrigin = (origin: string, host: string, origins: readonly string[]): boolean =>
  origins.includes(origin) || isOwn(origin, host);

/** By host alone: a proxy that speaks TLS to the browser speaks plain HTTP to the service. */
const isOwn = (origin: string, host: string): boolean => URL.canParse(origin) && new URL(origin).host === host;
