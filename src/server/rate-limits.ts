import type { Context } from 'koa';
import type { Deps } from '../deps.js';
import type { Actor } from '../keys.js';
import { RateLimited, type Window, type WindowState, windowName } from '../limits/limits.js';
import { networksOf } from './client-address.js';

/** A rate limit: at most `max` requests in `seconds`, per IP address or per API key (counted by the wallet of its agent). */
export type LimitRow = {
  readonly name: string;
  readonly max: number;
  readonly seconds: number;
  readonly per: 'ip' | 'key';
} & Pick<Window, 'counts' | 'advice'>;

/** The global limits. Every request under /api/ and every call of a tool or mutation counts in one of them. */
export const GLOBAL_PER_KEY: LimitRow = { name: 'global', max: 30, seconds: 60, per: 'key' };
export const GLOBAL_PER_IP: LimitRow = {
  name: 'global',
  max: 20,
  seconds: 60,
  per: 'ip',
  advice: 'Send a key, or wait <seconds> seconds',
};

export const globalRow = (actor: Actor | null): LimitRow => (actor ? GLOBAL_PER_KEY : GLOBAL_PER_IP);

/** The limit of all paths outside /api/ and /graphql for which no feature declares a limit. */
export const outsideLimit: LimitRow = { name: 'outside', max: 300, seconds: 60, per: 'ip' };

/** Limits of paths outside /api/. The key is the beginning of the paths, such as `/assets/`. */
export type PathLimits = Readonly<Record<string, LimitRow>>;

/** Limits of GraphQL per caller. They count points of query cost, not requests. */
const points = { name: 'graphql', seconds: 60, counts: 'points of query cost' } as const;
export const queryCostLimits = {
  perIp: { ...points, max: 60_000, per: 'ip', advice: 'Send a key, or wait <seconds> seconds' },
  perKey: { ...points, max: 120_000, per: 'key' },
} as const satisfies Record<string, LimitRow>;

/** Limit of wrong API keys. `authenticate` refuses all keys from an address that has reached it. */
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

export const isUnderApi = (path: string): boolean => path === '/api' || path.startsWith('/api/');

/**
 * Whether the path is a health probe. Probes are not limited, because those of many replicas may come from one address. Their keys
 * are not checked, because that needs the database.
 */
export const isProbe = (path: string): boolean => path === '/health' || path === '/ready';

/** The windows in which a request counts, for these limits. A limit per address has two for IPv6: the /64 and the /48 network. */
export const windowsOf = (rows: readonly LimitRow[], actor: Pick<Actor, 'wallet'> | null, ip: string): Window[] =>
  rows.flatMap(({ name, per, ...row }): Window[] => {
    if (per === 'key' && actor) return [{ ...row, key: `${name}:key:${actor.wallet}`, per }];
    return networksOf(ip).map(({ key, times, suffix, per }) => {
      return { ...row, max: row.max * times, key: `${name}${suffix}:ip:${key}`, per };
    });
  });

/** `take` counts a request in the windows, `peek` only checks them. Throws RateLimited if one is full. */
export async function enforce(deps: Deps, how: 'take' | 'peek', windows: readonly Window[]) {
  const now = deps.clock.now();
  const verdict = await deps.limits[how](windows, now.getTime());
  if (!verdict.allowed) throw new RateLimited(verdict, now);
  return verdict.windows;
}

/**
 * Counts a request in all of its windows atomically. If one window is full, counts it in none and throws RateLimited. With
 * RATE_LIMITS=off, it does nothing. Wrong keys still block an address, because `authenticate` calls `enforce`.
 */
export const takeWindows = async (deps: Deps, windows: readonly Window[]): Promise<readonly WindowState[]> =>
  deps.config.RATE_LIMITS === 'off' || windows.length === 0 ? [] : enforce(deps, 'take', windows);

/**
 * Throws RateLimited if a window is full, without counting the request. Concurrent requests may all pass this check. `takeWindows`
 * then refuses those that exceed the limit.
 */
export async function requireRoom(deps: Deps, windows: readonly Window[]): Promise<void> {
  if (deps.config.RATE_LIMITS !== 'off' && windows.length > 0) await enforce(deps, 'peek', windows);
}

/** Counts a request in the windows, and adds their state to the headers of the answer. If it throws, `problemHeaders` adds it. */
export async function takeLimits(deps: Deps, ctx: Context, windows: readonly Window[]): Promise<void> {
  showWindows(ctx, await takeWindows(deps, windows));
}

/** Adds windows to the rate limit headers of the answer. */
export function showWindows(ctx: Context, windows: readonly WindowState[]): void {
  if (windows.length === 0) return;
  const all = latest(countedWindows(ctx), windows);
  ctx.state.windows = all;
  ctx.set(limitHeaders(all));
}

/** The windows that the answer's rate limit headers name. */
export const countedWindows = (ctx: Context): readonly WindowState[] => ctx.state.windows ?? [];

/** Merges two lists of windows. A request may count twice in the same window, which then has its later state. */
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
