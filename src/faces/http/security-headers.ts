import type { Context, Next } from 'koa';

/** Allows only what the service's pages need: files of their own origin and inline styles. */
const POLICY = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'";

export const SECURITY_HEADERS = {
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'strict-origin-when-cross-origin',
  'Content-Security-Policy': POLICY,
} as const;

/** Security headers on every answer, errors included. */
export function securityHeaders(ctx: Context, next: Next): Promise<void> {
  for (const [name, value] of HEADERS) ctx.res.setHeader(name, value);
  return next();
}
const HEADERS = Object.entries(SECURITY_HEADERS);
