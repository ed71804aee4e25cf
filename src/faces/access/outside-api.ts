import type { Context, Next } from 'koa';
import type { Deps } from '../../deps.js';
import { authenticate } from './authenticate.js';
import { globalRow, outsideRow, windowsOf } from './limit-rows.js';
import { announced, RateLimited, takeLimits } from './rate-limit.js';

/** The paths that have limits of their own. */
const hasOwnLimits = (path: string): boolean => path.startsWith('/api/') || path === '/graphql';

/** Schedulers and chain providers send a secret or a signature. A right one has no limit; a wrong one counts. */
const isForMachines = (path: string): boolean => /^\/(internal|webhooks)\//.test(path);

/** Probes read no key, so that they answer while the database is away. */
export const isProbe = (path: string): boolean => path === '/health' || path === '/ready' || path === '/metrics';

/** Limits everything outside /api and /graphql per address, and judges a key that is sent there. */
export function judgeOutside(deps: Deps) {
  return async (ctx: Context, next: Next): Promise<void> => {
    const { path } = ctx;
    if (hasOwnLimits(path) || isForMachines(path)) return next();
    await takeOutside(deps, ctx);
    if (!isProbe(path)) await authenticate(deps, ctx.get('x-api-key') || undefined, ctx.state.ip);
    return next();
  };
}

const takeOutside = (deps: Deps, ctx: Context): Promise<void> =>
  takeLimits(deps, ctx, windowsOf([outsideRow(ctx.path)], null, ctx.state.ip));

/** Counts a request that is refused before its own limits are known, unless it counts already; then refuses it. */
export async function countRefused(deps: Deps, ctx: Context, error: unknown): Promise<never> {
  if (!(error instanceof RateLimited)) await countByAddress(deps, ctx);
  throw error;
}

/** Counts a request against its address, unless it counts already. */
async function countByAddress(deps: Deps, ctx: Context): Promise<void> {
  if (announced(ctx).length > 0) return;
  if (ctx.path.startsWith('/api/')) {
    await takeLimits(deps, ctx, windowsOf([globalRow(null)], null, ctx.state.ip));
  } else if (hasOwnLimits(ctx.path) || isForMachines(ctx.path)) await takeOutside(deps, ctx);
}

/** Counts a request that no route serves, OPTIONS included. Below /api a key that is sent there is judged, and counts. */
export async function countUnmatched(deps: Deps, ctx: Context): Promise<void> {
  if (!ctx.path.startsWith('/api/')) return countByAddress(deps, ctx);
  const { ip } = ctx.state;
  const actor = await authenticate(deps, ctx.get('x-api-key') || undefined, ip).catch((wrong: unknown) =>
    countRefused(deps, ctx, wrong),
  );
  await takeLimits(deps, ctx, windowsOf([globalRow(actor)], actor, ip));
}
