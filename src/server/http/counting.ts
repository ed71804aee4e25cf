import type { Context, Next } from 'koa';
import type { Deps } from '../../deps.js';
import { RateLimited, type Window, type WindowState } from '../../limits/limits.js';
import { authenticate } from '../authenticate.js';
import {
  globalRow,
  isProbe,
  isUnderApi,
  latest,
  limitHeaders,
  outsideLimit,
  type PathLimits,
  takeWindows,
  windowsOf,
} from '../rate-limits.js';

const hasOwnLimits = (path: string): boolean => isUnderApi(path) || path === '/graphql';

/** Whether a path is for schedulers or chain providers. A valid secret or signature is not limited; an invalid one counts. */
const isForMachines = (path: string): boolean => /^\/(internal|webhooks)\//.test(path);

/**
 * Limits paths outside /api and /graphql per address, except probes: by the row of `limits` that the path begins with, or else by
 * `outsideLimit`. Sets `ctx.state.actor` to the agent of a key.
 */
export function limitOutside(deps: Deps, limits: PathLimits) {
  return async (ctx: Context, next: Next): Promise<void> => {
    const { path } = ctx;
    if (hasOwnLimits(path) || isForMachines(path) || isProbe(path)) return next();
    const [, row = outsideLimit] = Object.entries(limits).find(([start]) => path.startsWith(start)) ?? [];
    await takeOutside(deps, ctx, row);
    // /metrics answers while the database is unreachable.
    if (path !== '/metrics')
      ctx.state.actor = await authenticate(deps, ctx.get('x-api-key') || undefined, ctx.state.ip);
    return next();
  };
}

const takeOutside = (deps: Deps, ctx: Context, row = outsideLimit): Promise<void> =>
  takeLimits(deps, ctx, windowsOf([row], null, ctx.state.ip));

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
