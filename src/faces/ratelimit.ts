import type { Context } from 'koa';
import type { Deps } from '../deps.js';
import { AppError } from '../errors.js';
import type { Verdict, Window } from '../limits/limits.js';

export type { Verdict, Window } from '../limits/limits.js';

/**
 * Takes a place in all windows of a request at once and says on the answer how they stand. Switched off by
 * RATE_LIMITS=off; the brute-force block is not one of these and stays.
 */
export async function takeLimits(deps: Deps, ctx: Context, windows: readonly Window[]): Promise<void> {
  if (deps.config.RATE_LIMITS === 'off' || windows.length === 0) return;
  const verdict = await deps.limits.take(windows, deps.clock.now().getTime());
  announce(ctx, verdict);
  if (!verdict.allowed) throw new AppError('RATE_LIMITED', { seconds: verdict.retryAfter });
}

/** The `RateLimit` and `RateLimit-Policy` fields of the IETF draft, one item a window. */
export function announce(ctx: Context, { windows }: Verdict): void {
  const label = ({ key }: Window) => `"${key.slice(0, key.indexOf(':'))}"`;
  ctx.set(
    'RateLimit-Policy',
    windows.map((window) => `${label(window)};q=${window.max};w=${window.seconds}`).join(', '),
  );
  ctx.set(
    'RateLimit',
    windows.map((window) => `${label(window)};r=${window.remaining};t=${window.resetSeconds}`).join(', '),
  );
}
