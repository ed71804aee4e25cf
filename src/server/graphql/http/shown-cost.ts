import type { Context } from 'koa';
import type { Deps } from '../../../deps.js';
import { announce, announced, type WindowState } from '../../access/rate-limit.js';

/** The header with which a client asks for `extensions.cost`. */
export const COST_HEADER = 'GraphQL-Cost';

/** `extensions.cost`: what a request cost, and what its caller has left. */
type ShownCost = {
  /** Points that the request was charged. */
  readonly requested: number;
  /** Points left in the window of the caller. null if the service has no rate limits. */
  readonly remaining: number | null;
  /** Time when the oldest request leaves the window and its points return. null if the service has no rate limits. */
  readonly resetAt: string | null;
};

export const asksForCost = (ctx: Context): boolean => ctx.get(COST_HEADER).toLowerCase() === 'include';

/** Adds a charge to the answer's rate limit headers, and to its cost. */
export function announceCharge(ctx: Context, windows: readonly WindowState[], points: number): void {
  announce(ctx, windows);
  ctx.state.points = (ctx.state.points ?? 0) + points;
}

/** undefined if the client did not ask for the cost, or was refused before it was charged. */
export function shownCost({ clock }: Deps, ctx: Context): ShownCost | undefined {
  const requested: number | undefined = ctx.state.points;
  if (requested === undefined || !asksForCost(ctx)) return undefined;
  // An IPv6 client has two windows. The one with fewer points is the one that will refuse.
  const [window] = announced(ctx).toSorted((a, b) => a.remaining - b.remaining);
  if (window === undefined) return { requested, remaining: null, resetAt: null };
  const { remaining, resetSeconds } = window;
  return { requested, remaining, resetAt: new Date(clock.now().getTime() + resetSeconds * 1000).toISOString() };
}

/** Adds the cost to the text of an answer. Only callers that ask for the cost pay for reading the text. */
export function withCost(text: string, cost: ShownCost | undefined): string {
  if (cost === undefined) return text;
  const answer = JSON.parse(text);
  return JSON.stringify({ ...answer, extensions: { ...answer.extensions, cost } });
}
