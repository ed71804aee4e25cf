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
 * Returns the agent of an API key, or null without a key. A wrong key counts against the IP address. An address with five wrong
 * keys in 15 minutes is blocked: any key, right or wrong, is refused until the oldest attempt is 15 minutes old. A key that was
 * valid earlier is refused without counting (`KeyEnded`), so that a forgotten program that still sends it does not block other
 * clients of its address.
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
  // Counts the wrong key. Of many concurrent wrong keys, only five get INVALID_KEY, and the others RATE_LIMITED.
  await enforce(deps, 'take', failures);
  throw new AppError('INVALID_KEY');
}

const hasOwnLimits = (path: string): boolean => isUnderApi(path) || path === '/graphql';

/** Whether a path is for schedulers or chain providers. Requests with a valid secret or signature are not limited; others count. */
const isForMachines = (path: string): boolean => /^\/(internal|webhooks)\//.test(path);

/**
 * Middleware that limits paths outside /api and /graphql per address. The limit is the row of `limits` whose key begins the path,
 * or else `outsideLimit`. Probes and paths for machines pass. Sets `ctx.state.actor` to the agent of the API key.
 */
export function limitOutside(deps: Deps, limits: PathLimits) {
  return async (ctx: Context, next: Next): Promise<void> => {
    const { path } = ctx;
    if (hasOwnLimits(path) || isForMachines(path) || isProbe(path)) return next();
    const [, row = outsideLimit] = Object.entries(limits).find(([start]) => path.startsWith(start)) ?? [];
    await takeOutside(deps, ctx, row);
    // Looking up a key needs the database. /metrics skips it, because it answers while the database is unreachable.
    if (path !== '/metrics') ctx.state.actor = await authenticate(deps, ctx.get('x-api-key') || undefined, ctx.state.ip);
    return next();
  };
}

const takeOutside = (deps: Deps, ctx: Context, row = outsideLimit): Promise<void> =>
  takeLimits(deps, ctx, windowsOf([row], null, ctx.state.ip));

/** Throws the refusal of a request that `run` does not get and so does not count. Counts the request, unless a limit refused it. */
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
