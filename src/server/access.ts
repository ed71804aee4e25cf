import { isIP, SocketAddress } from 'node:net';
import type { Context, Next } from 'koa';
import type { Deps } from '../deps.js';
import { AppError } from '../errors/errors.js';
import { type Actor, type AuthenticatedAgent, agentByKeyHash, hashKey, isFormerKey, KeyEnded } from '../keys.js';
import { RateLimited, type Window, type WindowState, windowName } from '../limits/limits.js';

export type { AuthenticatedAgent as Actor } from '../keys.js';
export type { Window, WindowState } from '../limits/limits.js';
export { limitText, RateLimited } from '../limits/limits.js';

const KEY = /^[A-Za-z0-9_-]{64}$/;

/**
 * Returns the agent of an API key, or null without a key. A wrong key counts against the IP address. An address with
 * five wrong keys in 15 minutes is blocked: any key, right or wrong, is refused until the oldest attempt is 15 minutes old.
 * A key that was valid before is refused without counting (`KeyEnded`): a forgotten program must not block its neighbours.
 */
export async function authenticate(
  deps: Deps,
  key: string | undefined,
  ip: string,
): Promise<AuthenticatedAgent | null> {
  if (key === undefined || key === '') return null;
  const failures = windowsOf([wrongKeyLimit], null, ip);
  await enforce(deps, 'peek', failures);
  if (KEY.test(key)) {
    const hash = hashKey(key);
    const agent = await agentByKeyHash(deps, hash);
    if (agent) return agent;
    if (await isFormerKey(deps, hash)) throw new KeyEnded();
  }
  // Of many concurrent wrong keys, only five get the answer that they are wrong.
  await enforce(deps, 'take', failures);
  throw new AppError('INVALID_KEY');
}

export const isUnderApi = (path: string): boolean => path === '/api' || path.startsWith('/api/');

const hasOwnLimits = (path: string): boolean => isUnderApi(path) || path === '/graphql';

/** Whether a path is for schedulers or chain providers. A valid secret or signature is not limited; an invalid one counts. */
const isForMachines = (path: string): boolean => /^\/(internal|webhooks)\//.test(path);

/** Probes have no limit: those of many replicas may share an address. They check no keys, so they need no database. */
export const isProbe = (path: string): boolean => path === '/health' || path === '/ready';

/** Limits paths outside /api and /graphql per address, except probes. Sets `ctx.state.actor` to the agent of a key. */
export function limitOutside(deps: Deps) {
  return async (ctx: Context, next: Next): Promise<void> => {
    const { path } = ctx;
    if (hasOwnLimits(path) || isForMachines(path) || isProbe(path)) return next();
    await takeOutside(deps, ctx);
    // /metrics answers while the database is unreachable.
    if (path !== '/metrics')
      ctx.state.actor = await authenticate(deps, ctx.get('x-api-key') || undefined, ctx.state.ip);
    return next();
  };
}

const takeOutside = (deps: Deps, ctx: Context): Promise<void> =>
  takeLimits(deps, ctx, windowsOf([outsideRow(ctx.path)], null, ctx.state.ip));

/** Counts a request that is refused before its own limits are known, unless it was already counted, and throws the refusal. */
export async function countRefused(deps: Deps, ctx: Context, error: unknown): Promise<never> {
  if (!(error instanceof RateLimited)) await countByAddress(deps, ctx);
  throw error;
}

/** Counts a request against its address, unless it was already counted. */
async function countByAddress(deps: Deps, ctx: Context): Promise<void> {
  if (announced(ctx).length > 0) return;
  if (isUnderApi(ctx.path)) {
    await takeLimits(deps, ctx, windowsOf([globalRow(null)], null, ctx.state.ip));
  } else if (hasOwnLimits(ctx.path) || isForMachines(ctx.path)) await takeOutside(deps, ctx);
}

/** Counts a request that matches no route, including OPTIONS. Under /api, a key is checked and the request counts against it. */
export async function countUnmatched(deps: Deps, ctx: Context): Promise<void> {
  if (!isUnderApi(ctx.path)) return countByAddress(deps, ctx);
  const { ip } = ctx.state;
  const actor = await authenticate(deps, ctx.get('x-api-key') || undefined, ip).catch((wrong: unknown) =>
    countRefused(deps, ctx, wrong),
  );
  await takeLimits(deps, ctx, windowsOf([globalRow(actor)], actor, ip));
}

/** One rate limit: at most `max` requests in `seconds`, counted per IP address, key or wallet (`per`). */
export type LimitRow = {
  readonly name: string;
  readonly max: number;
  readonly seconds: number;
  readonly per: 'ip' | 'key';
} & Pick<Window, 'counts' | 'advice'>;

/** The global limits, which apply to every request under /api/. */
export const GLOBAL_PER_KEY: LimitRow = { name: 'global', max: 30, seconds: 60, per: 'key' };
export const GLOBAL_PER_IP: LimitRow = {
  name: 'global',
  max: 20,
  seconds: 60,
  per: 'ip',
  advice: 'Send a key, or wait <seconds> seconds',
};

export const globalRow = (actor: Actor | null): LimitRow => (actor ? GLOBAL_PER_KEY : GLOBAL_PER_IP);

/** The limit of all paths outside /api/ and /graphql. A page of the dashboard has about 25 files, which a browser loads once. */
export const outsideRow = (path: string): LimitRow => {
  if (path.startsWith('/dev/')) return { name: 'dev', max: 300, seconds: 60, per: 'ip' };
  if (path.startsWith('/assets/')) return { name: 'assets', max: 3000, seconds: 60, per: 'ip' };
  // A picture that is not cached takes a fifth of a second of a processor.
  if (path.startsWith('/share/')) return { name: 'share', max: 20, seconds: 60, per: 'ip' };
  return { name: 'outside', max: 300, seconds: 60, per: 'ip' };
};

/** Limits of GraphQL per caller. They count points of query cost, not requests. */
const points = { name: 'graphql', seconds: 60, counts: 'points of query cost' } as const;
export const queryCostLimits = {
  perIp: { ...points, max: 60_000, per: 'ip', advice: 'Send a key, or wait <seconds> seconds' },
  perKey: { ...points, max: 120_000, per: 'key' },
} as const satisfies Record<string, LimitRow>;

/** Limit of wrong keys. An address that exceeds the limit is blocked. */
export const wrongKeyLimit: LimitRow = {
  name: 'auth',
  max: 5,
  seconds: 15 * 60,
  per: 'ip',
  counts: 'wrong keys',
  advice:
    'This address is blocked until <until> because of wrong keys. Requests without a key pass; check the key before you ' +
    'send it again',
};

/** The windows in which a caller's request counts. An IPv6 client has two per limit: its /64 and its /48 network. */
export const windowsOf = (rows: readonly LimitRow[], actor: Actor | null, ip: string): Window[] =>
  rows.flatMap(({ name, per, ...row }): Window[] => {
    if (per === 'key' && actor) return [{ ...row, key: `${name}:key:${actor.wallet}`, per }];
    return networksOf(ip).map(({ key, times, suffix, per }) => {
      return { ...row, max: row.max * times, key: `${name}${suffix}:ip:${key}`, per };
    });
  });

/** Takes or checks windows. Throws RateLimited if one is full. */
export async function enforce(deps: Deps, how: 'take' | 'peek', windows: readonly Window[]) {
  const now = deps.clock.now();
  const verdict = await deps.limits[how](windows, now.getTime());
  if (!verdict.allowed) throw new RateLimited(verdict, now);
  return verdict.windows;
}

/**
 * Counts a request in all of its windows atomically. If one window is full, counts it in none and throws RateLimited.
 * RATE_LIMITS=off disables this, but not the block after wrong keys.
 */
export const takeWindows = async (deps: Deps, windows: readonly Window[]): Promise<readonly WindowState[]> =>
  deps.config.RATE_LIMITS === 'off' || windows.length === 0 ? [] : enforce(deps, 'take', windows);

/**
 * Refuses a request whose windows are full, before it counts anywhere. Concurrent requests may pass this check; they are
 * refused when they count.
 */
export async function requireRoom(deps: Deps, windows: readonly Window[]): Promise<void> {
  if (deps.config.RATE_LIMITS !== 'off' && windows.length > 0) await enforce(deps, 'peek', windows);
}

/** Calls takeWindows and adds the state of the windows to the answer's headers. A refusal adds them when it is answered. */
export async function takeLimits(deps: Deps, ctx: Context, windows: readonly Window[]): Promise<void> {
  announce(ctx, await takeWindows(deps, windows));
}

export function announce(ctx: Context, windows: readonly WindowState[]): void {
  if (windows.length === 0) return;
  const all = latest(announced(ctx), windows);
  ctx.state.windows = all;
  ctx.set(limitHeaders(all));
}

/** The windows that the answer's rate limit headers name. */
export const announced = (ctx: Context): readonly WindowState[] => ctx.state.windows ?? [];

/** All windows in their latest state: a request may count twice in the same window. */
export const latest = (earlier: readonly WindowState[], later: readonly WindowState[]): readonly WindowState[] => [
  ...earlier.filter(({ key }) => !later.some((window) => window.key === key)),
  ...later,
];

/** The `RateLimit` and `RateLimit-Policy` headers of the IETF draft, with one item per window. */
export function limitHeaders(windows: readonly WindowState[]): Record<string, string> {
  if (windows.length === 0) return {};
  const list = (item: (window: WindowState) => string) =>
    windows.map((window) => `"${windowName(window)}";${item(window)}`).join(', ');
  return {
    'RateLimit-Policy': list(({ max, seconds }) => `q=${max};w=${seconds}`),
    RateLimit: list(({ remaining, resetSeconds }) => `r=${remaining};t=${resetSeconds}`),
  };
}

/**
 * The address of the client. Each trusted proxy appends the address of its own client to X-Forwarded-For. The header is
 * therefore read from the right, one entry per trusted proxy; a client can forge the entries further left. If an entry
 * is missing or is not an address, the last valid entry counts.
 */
export function clientAddress(remoteAddress: string, xForwardedFor: string | undefined, trustProxy: number): string {
  let client = canonical(remoteAddress) ?? remoteAddress;
  if (trustProxy === 0) return client;
  const hops = (xForwardedFor ?? '').split(',').slice(-trustProxy).reverse();
  for (const hop of hops) {
    const address = canonical(withoutPort(hop.trim()));
    if (address === null) break;
    client = address;
  }
  return client;
}

/** A /48 network has this many times the limit of a /64 network. */
export const SITE_TIMES = 10;

type Network = { readonly key: string; readonly times: number; readonly suffix: string; readonly per: string };

/**
 * What an address counts as: an IPv4 address itself, an IPv6 address as its /64 network, which one client owns, and as its
 * /48 network, usually one site, with a higher limit.
 */
export function networksOf(address: string): readonly [Network, ...Network[]] {
  const plain = canonical(address) ?? address;
  if (isIP(plain) !== 6) return [{ key: plain, times: 1, suffix: '', per: 'IP' }];
  return [
    { key: prefixOf(plain, 64), times: 1, suffix: '', per: 'IPv6 /64' },
    { key: prefixOf(plain, 48), times: SITE_TIMES, suffix: '-48', per: 'IPv6 /48' },
  ];
}

/** The narrowest network of an address. */
export const limitKey = (address: string): string => networksOf(address)[0].key;

/** Counts what is open per network. */
export class OpenCounts {
  readonly #counts = new Map<string, number>();

  /** How far one more would exceed the maximum of a network of the address, and that maximum. Of two networks, the worse. */
  excess(address: string, max: number): { readonly excess: number; readonly max: number } {
    return networksOf(address)
      .map(({ key, times }) => ({ excess: this.#countOf(key) + 1 - max * times, max: max * times }))
      .reduce((a, b) => (b.excess > a.excess ? b : a));
  }

  /** Counts one. The returned function releases it. */
  add(address: string): () => void {
    const keys = networksOf(address).map(({ key }) => key);
    for (const key of keys) this.#counts.set(key, this.#countOf(key) + 1);
    return () => {
      for (const key of keys.splice(0)) {
        const left = this.#countOf(key) - 1;
        if (left > 0) this.#counts.set(key, left);
        else this.#counts.delete(key);
      }
    };
  }

  #countOf(key: string): number {
    return this.#counts.get(key) ?? 0;
  }
}

function prefixOf(ipv6: string, bits: 48 | 64): string {
  const [left = [], right = []] = ipv6.split('::').map((part) => part.split(':'));
  const zeros = Array<string>(8 - left.length - right.length).fill('0');
  const network = [...left, ...zeros, ...right].slice(0, bits / 16);
  return `${network.map((group) => group || '0').join(':')}::/${bits}`;
}

/** Normalizes an address: IPv6 in its short form without a zone, IPv4-mapped IPv6 as IPv4. Null if the text is not an address. */
function canonical(text: string): string | null {
  const version = isIP(text);
  if (version !== 6) return version === 4 ? text : null;
  const [withoutZone = text] = text.split('%');
  const { address } = new SocketAddress({ address: withoutZone, family: 'ipv6' });
  return address.replace(/^::ffff:(?=\d+\.)/, '');
}

/** Some proxies append the port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
const withoutPort = (hop: string): string =>
  hop.replace(/^\[(.*)\](?::\d{1,5})?$/, '$1').replace(/^([\d.]+):\d{1,5}$/, '$1');
