import type { Act, Allowance } from './plan/allowance.js';
import type { Random } from './plan/random.js';

const ACTS: readonly (readonly [act: Act, weight: number])[] = [
  ['trade', 10],
  ['like', 4],
  ['repost', 1],
  ['follow', 1],
  ['post', 1],
];

/** `zeal`: relative frequency of the actor's turns. */
type Actor = { readonly allowance: Allowance; readonly zeal: number };

/** Draws the next action and its actor, and counts it in the actor's allowance. Undefined if no actor may do the action. */
export function nextTurn<T extends Actor>(
  actors: readonly T[],
  random: Random,
  now: number,
): { readonly act: Act; readonly actor: T } | undefined {
  const act = random.weighted(ACTS, ([, weight]) => weight)?.[0] ?? 'trade';
  const able = actors.filter(({ allowance }) => allowance.allows(act, now));
  const actor = random.weighted(able, ({ zeal }) => zeal);
  actor?.allowance.spend(act, now);
  return actor && { act, actor };
}
