import type { Deps } from '../../deps.js';
import { AppError } from '../../errors.js';
import type { Actor } from '../authenticate.js';
import { globalRow, type LimitRow, windowsOf } from '../limitrows.js';
import { type Loaders, loadersOf } from './loaders.js';

/** What the resolvers of one request share. */
export type GraphContext = {
  readonly deps: Deps;
  /** The agent whose key was sent. */
  readonly actor: Actor | null;
  readonly ip: string;
  /** What they have read. Each write begins anew: what comes after it in the request sees it. */
  loaders: Loaders;
};

export const contextOf = (deps: Deps, actor: Actor | null, ip: string): GraphContext => ({
  deps,
  actor,
  ip,
  loaders: loadersOf(deps, actor),
});

export function requireActor({ actor }: GraphContext): Actor {
  if (actor === null) throw new AppError('MISSING_KEY');
  return actor;
}

/** Begins a write. It counts in REST's windows, whatever the request has cost already: the global one and its own. */
export async function takeWrite(
  context: GraphContext,
  rows: readonly LimitRow[],
  actor: Actor | null = context.actor,
): Promise<void> {
  const { deps, ip } = context;
  context.loaders = loadersOf(deps, context.actor);
  if (deps.config.RATE_LIMITS === 'off') return;
  const windows = windowsOf([globalRow(actor), ...rows], actor, ip);
  const { allowed, retryAfter } = await deps.limits.take(windows, deps.clock.now().getTime());
  if (!allowed) throw new AppError('RATE_LIMITED', { seconds: retryAfter });
}
