import type { Context } from 'koa';
import type { Deps } from '../../deps.js';
import type { Spend, Window, WindowState } from '../../limits/limits.js';
import { RateLimited, windowName } from '../../limits/refusal.js';

export type { Spend, Verdict, Window, WindowState } from '../../limits/limits.js';
export { limitText, RateLimited, windowName } from '../../limits/refusal.js';

/**
 * Takes a place in all windows of a request at once, or in none: then it throws RateLimited. Switched off by
 * RATE_LIMITS=off; the brute-force block is not one of these and stays.
 */
export async function takeWindows(deps: Deps, windows: readonly Window[]): Promise<readonly WindowState[]> {
  if (deps.config.RATE_LIMITS === 'off' || windows.length === 0) return [];
  const now = deps.clock.now();
  const verdict = await deps.limits.take(windows, now.getTime());
  if (!verdict.allowed) throw new RateLimited(verdict, now);
  return verdict.windows;
}

/**
 * Refuses a request whose windows are full before it takes a place in one of them, since a refused request consumes
 * nothing. Only of requests at the same moment can one pass here and be refused by `spend`.
 */
export async function requireRoom(deps: Deps, windows: readonly Window[]): Promise<void> {
  if (deps.config.RATE_LIMITS === 'off' || windows.length === 0) return;
  const now = deps.clock.now();
  const verdict = await deps.limits.peek(windows, now.getTime());
  if (!verdict.allowed) throw new RateLimited(verdict, now);
}

/** Does what takeWindows does, and says on the answer how the windows stand. A refusal says it when it is answered. */
export async function takeLimits(deps: Deps, ctx: Context, windows: readonly Window[]): Promise<void> {
  announce(ctx, await takeWindows(deps, windows));
}

/** Takes windows the first time that it is called. */
export function spendOnce(take: () => Promise<void>): Spend {
  let taken: Promise<void> | undefined;
  return () => {
    taken ??= take();
    return taken;
  };
}

/** Names windows on the answer, after those that it names already. */
export function announce(ctx: Context, windows: readonly WindowState[]): void {
  if (windows.length === 0) return;
  const all: readonly WindowState[] = [...announced(ctx), ...windows];
  ctx.state.windows = all;
  ctx.set(limitHeaders(all));
}

/** The windows that the answer names. */
export const announced = (ctx: Context): readonly WindowState[] => ctx.state.windows ?? [];

/** The `RateLimit` and `RateLimit-Policy` fields of the IETF draft, one item a window. */
export function limitHeaders(windows: readonly WindowState[]): Record<string, string> {
  if (windows.length === 0) return {};
  const list = (item: (window: WindowState) => string) =>
    windows.map((window) => `"${windowName(window)}";${item(window)}`).join(', ');
  return {
    'RateLimit-Policy': list(({ max, seconds }) => `q=${max};w=${seconds}`),
    RateLimit: list(({ remaining, resetSeconds }) => `r=${remaining};t=${resetSeconds}`),
  };
}
