import type { Deps } from '../../../deps.js';
import { AppError } from '../../../errors.js';
import type { Actor } from '../../access/authenticate.js';
import { globalRow, type LimitRow, windowsOf } from '../../access/limit-rows.js';
import { requireRoom, type Spend, spendOnce, takeWindows } from '../../access/rate-limit.js';
import { LookAhead } from '../types/lookahead.js';
import { type Loaders, loadersOf } from './loaders.js';

/** What the resolvers of one request share. */
export type GraphContext = {
  readonly deps: Deps;
  /** The agent whose key was sent. */
  readonly actor: Actor | null;
  readonly ip: string;
  /** Shared by the requests of an engine, like the documents that it is about. */
  readonly lookAhead: LookAhead;
  /** Replaced by each write, so that later reads of the request see it. */
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
 * Begins a write. It counts in the global window that REST uses, in addition to its query cost. The returned function takes
 * the scarce windows, which REST uses too.
 */
export async function takeWrite(context: GraphContext, scarce: readonly LimitRow[] = []): Promise<Spend> {
  const { deps, actor, ip } = context;
  context.loaders = loadersOf(deps, actor);
  const globalWindows = windowsOf([globalRow(actor)], actor, ip);
  const scarceWindows = windowsOf(scarce, actor, ip);
  if (scarce.length > 0) await requireRoom(deps, [...globalWindows, ...scarceWindows]);
  await takeWindows(deps, globalWindows);
  return spendOnce(async () => {
    await takeWindows(deps, scarceWindows);
  });
}
