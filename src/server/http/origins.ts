import { isIP } from 'node:net';
import type { Context, Next } from 'koa';
import type { Config } from '../../config.js';
import { AppError } from '../../errors.js';

/** Whether a web page of this origin may call the service. `port` is the local port on which the request arrived. */
export type OriginRule = (origin: string, port: number | undefined) => boolean;

/**
 * Allows the origins in CORS_ORIGINS and the service's own origin: that of PUBLIC_URL or, without it, the loopback names
 * and HOST at the port. The Host header is ignored: with DNS rebinding, a page controls its content.
 */
export function originRule({
  HOST,
  PUBLIC_URL,
  CORS_ORIGINS = [],
}: Pick<Config, 'HOST' | 'PUBLIC_URL' | 'CORS_ORIGINS'>): OriginRule {
  const configured = new Set(CORS_ORIGINS);
  if (PUBLIC_URL !== undefined) configured.add(new URL(PUBLIC_URL).origin);
  const hosts = PUBLIC_URL === undefined ? ['127.0.0.1', 'localhost', '[::1]', bracketed(HOST)] : [];
  return (origin, port) =>
    configured.has(origin) || hosts.some((host) => URL.parse(`http://${host}:${port}`)?.origin === origin);
}

const bracketed = (host: string): string => (host.includes(':') ? `[${host}]` : host);

/**
 * Refuses requests of foreign web origins before anything else happens. A missing CORS header is not enough: the browser
 * hides the answer, but the service would still execute the request. Requests without an Origin header (programs) pass.
 * Refused requests do not count against the rate limits: a hostile page could otherwise exhaust its visitor's windows.
 */
export function refuseForeignOrigins(isAllowed: OriginRule) {
  return (ctx: Context, next: Next): Promise<void> => {
    const { origin } = ctx.req.headers;
    // A response to a request without an Origin header has `Vary` too: a cache must not serve it to an allowed origin.
    ctx.set('Vary', 'Origin');
    if (origin !== undefined && !isAllowed(origin, ctx.req.socket.localPort)) throw new AppError('ORIGIN_REFUSED');
    return next();
  };
}

/**
 * Refuses requests whose Host header is a foreign domain name: with DNS rebinding, a web page reaches a local service under the
 * page's own name. Addresses and names without a dot pass, because no public domain has such a name. The host of PUBLIC_URL and
 * HOST pass as well.
 */
export function hostCheck({ HOST, PUBLIC_URL }: Pick<Config, 'HOST' | 'PUBLIC_URL'>): (host: string) => void {
  const own = new Set(['localhost', HOST.toLowerCase()]);
  if (PUBLIC_URL !== undefined) own.add(new URL(PUBLIC_URL).hostname);
  return (host) => {
    const name = URL.parse(`http://${host}`)?.hostname.replace(/\.$/, '') ?? '';
    if (own.has(name) || !name.includes('.') || isIP(name) !== 0) return;
    throw new AppError('HOST_REFUSED', { hosts: [...own].join(', ') });
  };
}

const EXPOSED_HEADERS = 'RateLimit, RateLimit-Policy, Retry-After, ETag, X-Request-Id, Idempotent-Replayed';
const METHODS = 'GET, POST, PATCH, DELETE';
const ALLOWED_HEADERS =
  'Content-Type, X-Api-Key, Idempotency-Key, If-None-Match, Cache-Control, Last-Event-ID, Apollo-Require-Preflight, ' +
  'GraphQL-Cost, Mcp-Protocol-Version, Mcp-Method, Mcp-Name';

/** Sends CORS headers to the allowed origins and answers their preflight requests. */
export function cors(allowedOrigins: readonly string[]) {
  return async (ctx: Context, next: Next): Promise<void> => {
    const origin = ctx.get('Origin');
    if (!allowedOrigins.includes(origin)) return next();
    ctx.set('Access-Control-Allow-Origin', origin);
    ctx.set('Access-Control-Expose-Headers', EXPOSED_HEADERS);
    if (ctx.method !== 'OPTIONS' || ctx.get('Access-Control-Request-Method') === '') return next();
    ctx.set('Access-Control-Allow-Methods', METHODS);
    ctx.set('Access-Control-Allow-Headers', ALLOWED_HEADERS);
    ctx.set('Access-Control-Max-Age', '600');
    ctx.status = 204;
  };
}

export const SECURITY_HEADERS = {
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'strict-origin-when-cross-origin',
  // The dashboard and the editor of GraphQL have policies of their own.
  'Content-Security-Policy': "default-src 'self'; frame-ancestors 'none'",
} as const;

export function securityHeaders(ctx: Context, next: Next): Promise<void> {
  ctx.set(SECURITY_HEADERS);
  return next();
}
