import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { Context } from 'koa';
import { LRUCache } from 'lru-cache';
import type { Config } from '../../config/config.js';
import type { Deps } from '../../deps.js';
import { AppError } from '../../errors/errors.js';

/** Whether a web page of this origin may call the service. `port` is the local port on which the request arrived. */
export type OriginRule = (origin: string, port: number | undefined) => boolean;

/**
 * Allows the origins in CORS_ORIGINS and the origin of the service itself: that of PUBLIC_URL or, without it, the loopback names
 * and HOST at the port. The Host header is ignored, because a page controls it with DNS rebinding.
 */
export function originRule({
  HOST,
  PUBLIC_URL,
  CORS_ORIGINS = [],
}: Pick<Config, 'HOST' | 'PUBLIC_URL' | 'CORS_ORIGINS'>): OriginRule {
  const configured = new Set(CORS_ORIGINS);
  if (PUBLIC_URL !== undefined) configured.add(new URL(PUBLIC_URL).origin);
  const hosts = PUBLIC_URL === undefined ? ['127.0.0.1', 'localhost', '[::1]', bracketed(HOST)] : [];
  return (origin, port) => configured.has(origin) || hosts.some((host) => URL.parse(`http://${host}:${port}`)?.origin === origin);
}

const bracketed = (host: string): string => (host.includes(':') ? `[${host}]` : host);

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

export const SECURITY_HEADERS = {
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'strict-origin-when-cross-origin',
  // The pages of the dashboard and of the GraphQL editor set another policy.
  'Content-Security-Policy': "default-src 'self'; frame-ancestors 'none'",
} as const;

/** Maximum number of Host headers whose validity is cached, and their maximum length: that of a domain name and a port. */
const MAX_HOSTS = 1000;
const MAX_HOST_LENGTH = 260;

/** What every request must pass before anything else happens. Returns true if it has answered the request. */
export type Guard = (ctx: Context) => boolean;

/**
 * A guard that sets the headers of every answer, and answers the preflight of an allowed origin.
 *
 * It refuses requests of foreign web origins. To leave out the CORS header is not enough: the browser hides the answer, but the
 * service would still execute the request. Requests without an Origin header (programs) pass. Refused requests do not count against
 * the rate limits, because a hostile page could otherwise exhaust the windows of its visitor.
 */
export function guard(isAllowed: OriginRule, crossOrigins: readonly string[] = []): Guard {
  const hosts = new LRUCache<string, boolean>({ max: MAX_HOSTS });
  const isHost = (host: string): boolean => {
    const known = hosts.get(host);
    if (known !== undefined) return known;
    const isValid = host === '' || (/^[\w.:[\]-]+$/.test(host) && URL.canParse(`http://${host}`));
    if (host.length <= MAX_HOST_LENGTH) hosts.set(host, isValid);
    return isValid;
  };
  return (ctx) => {
    const { url = '', headers, socket } = ctx.req;
    const { origin, host = '' } = headers;
    ctx.set(SECURITY_HEADERS);
    // A response to a request without an Origin header has `Vary` too: a cache must not serve it to an allowed origin.
    ctx.set('Vary', 'Origin');
    // Koa throws for an invalid absolute target and for an invalid Host, so both are refused here.
    if (!isHost(host) || !(url.startsWith('/') || URL.canParse(url))) throw new AppError('BAD_REQUEST');
    if (origin === undefined) return false;
    if (!isAllowed(origin, socket.localPort)) throw new AppError('ORIGIN_REFUSED');
    if (!crossOrigins.includes(origin)) return false;
    ctx.set('Access-Control-Allow-Origin', origin);
    ctx.set('Access-Control-Expose-Headers', EXPOSED_HEADERS);
    if (ctx.method !== 'OPTIONS' || ctx.get('Access-Control-Request-Method') === '') return false;
    ctx.set('Access-Control-Allow-Methods', METHODS);
    ctx.set('Access-Control-Allow-Headers', ALLOWED_HEADERS);
    ctx.set('Access-Control-Max-Age', '600');
    ctx.status = 204;
    return true;
  };
}

/**
 * Returns a function that warns at the first request with X-Forwarded-For if no proxy is trusted. Then all clients of a proxy count
 * as one address. It warns once per process, because anybody can send the header.
 */
export function forwardedWarning({ config, log }: Pick<Deps, 'config' | 'log'>) {
  let isSilent = config.TRUST_PROXY > 0;
  return ({ headers }: IncomingMessage): void => {
    if (isSilent || headers['x-forwarded-for'] === undefined) return;
    isSilent = true;
    log.warn('requests carry X-Forwarded-For, but TRUST_PROXY is 0: all clients of a proxy count as one address');
  };
}
