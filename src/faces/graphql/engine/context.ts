import type { Deps } from '../../../deps.js';
import { AppError } from '../../../errors.js';
import type { Actor } from '../../access/authenticate.js';
import { globalRow, type LimitRow, windowsOf } from '../../access/limit-rows.js';
import { requireRoom, type Spend, spendOnce, takeWindows } from '../../access/rate-limit.js';
import { LookAhead } from '../types/lookahead.js';
import { type Loaders, loadersOf } from './loaders.js';

/** State that the resolvers of one request share. */
export type GraphContext = {
  readonly deps: Deps;
  /** The authenticated agent. null without an API key. */
  readonly actor: Actor | null;
  readonly ip: string;
  /** Results of look-aheads. All requests of an engine share them, as they share the parsed documents. */
  readonly lookAhead: LookAhead;
  /** Each write replaces the loaders, so that later reads of the request see the write. */
  loaders: Loaders;
};

export function contextOf(deps: Deps, actor: Actor | null, ip: string, lookAhead = new LookAhead()): GraphContext {
  return { deps, actor, ip, lookAhead, loaders: loadersOf(deps, actor) };
}

export function requireActor({ actor }: GraphContext): Actor {
  if (actor === null) throw new AppError('MISSING_KEY');
  return actor;
}

/**
 * Charges a write to the limit over all endpoints that REST uses, in addition to its query cost. The returned function charges
 * the limits of this write, which REST shares, too.
 */
export async function takeWrite(context: GraphContext, writeLimits: readonly LimitRow[] = []): Promise<Spend> {
  const { deps, actor, ip } = context;
  context.loaders = loadersOf(deps, actor);
  const globalWindows = windowsOf([globalRow(actor)], actor, ip);
  const writeWindows = windowsOf(writeLimits, actor, ip);
  if (writeLimits.length > 0) await requireRoom(deps, [...globalWindows, ...writeWindows]);
  await takeWindows(deps, globalWindows);
  return spendOnce(async () => {
    await takeWindows(deps, writeWindows);
  });
}
