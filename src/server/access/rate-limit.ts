import type { Context } from 'koa';
import type { Deps } from '../../deps.js';
import type { Spend, Window, WindowState } from '../../limits/limits.js';
import { RateLimited, windowName } from '../../limits/refusal.js';

export type { Spend, Verdict, Window, WindowState } from '../../limits/limits.js';
export { limitText, RateLimited, windowName } from '../../limits/refusal.js';

/**
 * Counts a request in all of its windows atomically. If one window is full, counts it in none and throws RateLimited.
 * RATE_LIMITS=off disables this, but not the block after wrong keys.
 */
export async function takeWindows(deps: Deps, windows: readonly Window[]): Promise<readonly WindowState[]> {
  if (deps.config.RATE_LIMITS === 'off' || windows.length === 0) return [];
  const now = deps.clock.now();
  const verdict = await deps.limits.take(windows, now.getTime());
  if (!verdict.allowed) throw new RateLimited(verdict, now);
  return verdict.windows;
}

/**
 * Refuses a request if one of its windows is full, before the request counts in any window: a refused request consumes
 * nothing. Concurrent requests may still pass this check, and `spend` refuses them later.
 */
export async function requireRoom(deps: Deps, windows: readonly Window[]): Promise<void> {
  if (deps.config.RATE_LIMITS === 'off' || windows.length === 0) return;
  const now = deps.clock.now();
  const verdict = await deps.limits.peek(windows, now.getTime());
  if (!verdict.allowed) throw new RateLimited(verdict, now);
}

/** Calls takeWindows and adds the state of the windows to the answer's headers. A refusal adds them when it is answered. */
export async function takeLimits(deps: Deps, ctx: Context, windows: readonly Window[]): Promise<void> {
  announce(ctx, await takeWindows(deps, windows));
}

/** A function that counts the request in its windows on the first call and does nothing on later calls. */
export function spendOnce(take: () => Promise<void>): Spend {
  let taken: Promise<void> | undefined;
  return () => {
    taken ??= take();
    return taken;
  };
}

/** Adds windows to the answer's rate limit headers. */
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
