import type { Context, Next } from 'koa';

/** The pages have policies of their own: the dashboard and the editor of GraphQL. */
const POLICY = "default-src 'self'; frame-ancestors 'none'";

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
