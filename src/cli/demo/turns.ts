import { DAY_MS } from '../../time.js';
import type { Random } from './random.js';

/** What live agents do, with relative frequencies. */
const FREQUENCIES = { trade: 10, like: 4, repost: 1, follow: 1, post: 1 };
export type Act = keyof typeof FREQUENCIES;
const acts = Object.keys(FREQUENCIES) as Act[];

/**
 * Limits of an agent. Those of trades and posts are one below the limits of the service, because clocks may differ slightly,
 * and a person may use the agent's key as well. The first one counts all acts. Each act sends a few requests, so it keeps all
 * other limits of the service.
 */
const LIMITS: readonly { readonly of: readonly Act[]; readonly max: number; readonly seconds: number }[] = [
  { of: acts, max: 5, seconds: 60 },
  { of: ['trade'], max: 4, seconds: 60 },
  { of: ['trade'], max: 14, seconds: 3600 },
  { of: ['post'], max: 2, seconds: 20 * 60 },
  { of: ['post'], max: 19, seconds: 24 * 3600 },
];

/** Recent acts of an agent, and which ones it may do without reaching a rate limit of the service. */
export class Allowance {
  #acts: { readonly act: Act; readonly at: number }[] = [];
  #restsUntil = 0;

  allows(act: Act, now: number): boolean {
    const recent = (of: readonly Act[], seconds: number) =>
      this.#acts.filter((entry) => of.includes(entry.act) && entry.at > now - seconds * 1000).length;
    const fits = LIMITS.every(({ of, max, seconds }) => !of.includes(act) || recent(of, seconds) < max);
    return fits && now >= this.#restsUntil;
  }
  spend(act: Act, now: number): void {
    this.#acts = [...this.#acts.filter(({ at }) => at > now - DAY_MS), { act, at: now }];
  }
  rest(seconds: number, now: number): void {
    this.#restsUntil = Math.max(this.#restsUntil, now + seconds * 1000);
  }
}

type Actor = { readonly allowance: Allowance; readonly character: { readonly zeal: number } };

/** Draws the next act and its actor, and counts it in the actor's allowance. No actor if none may do the act. */
export function nextTurn<T extends Actor>(actors: readonly T[], random: Random, now: number) {
  const act = random.weighted(acts, (one) => FREQUENCIES[one]) ?? 'trade';
  const able = actors.filter(({ allowance }) => allowance.allows(act, now));
  const actor = random.weighted(able, ({ character }) => character.zeal);
  actor?.allowance.spend(act, now);
  return { act, actor };
}
