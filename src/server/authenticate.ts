import type { Context, Next } from 'koa';
import type { Deps } from '../deps.js';
import { AppError } from '../errors/errors.js';
import { type Actor, agentByKeyHash, hashKey, isFormerKey, KeyEnded } from '../keys.js';
import { RateLimited } from '../limits/limits.js';
import {
  countedWindows,
  enforce,
  globalRow,
  isProbe,
  isUnderApi,
  outsideLimit,
  type PathLimits,
  takeLimits,
  windowsOf,
  wrongKeyLimit,
} from './rate-limits.js';

const KEY = /^[A-Za-z0-9_-]{64}$/;

/**
 * Returns the agent of an API key, or null without a key. A wrong key counts against the IP address. An address with
 * five wrong keys in 15 minutes is blocked: any key, right or wrong, is refused until the oldest attempt is 15 minutes old.
 * A key that was valid before is refused without counting (`KeyEnded`): a forgotten program must not block its neighbours.
 */
export async function authenticate(deps: Deps, key: string | undefined, ip: string): Promise<Actor | null> {
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
    if (path !== '/metrics') ctx.state.actor = await authenticate(deps, ctx.get('x-api-key') || undefined, ctx.state.ip);
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
  if (countedWindows(ctx).length > 0) return;
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
