/** Pseudo-random numbers. The same seed gives the same sequence. */
export type Random = {
  /** Number in [0, 1). */
  next(): number;
  /** Integer in [low, high]. */
  between(low: number, high: number): number;
  chance(probability: number): boolean;
  /** Random element. undefined if the list is empty. */
  pick<T>(list: readonly T[]): T | undefined;
  /** Random element with the given weights. undefined if all weights are 0. */
  weighted<T>(list: readonly T[], weight: (element: T) => number): T | undefined;
};

/** mulberry32. Its 32 bits of state suffice for a few thousand draws. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    between: (low, high) => low + Math.floor(next() * (high - low + 1)),
    chance: (probability) => next() < probability,
    pick: (list) => list[Math.floor(next() * list.length)],
    weighted(list, weight) {
      let remaining = next() * list.reduce((sum, element) => sum + weight(element), 0);
      for (const element of list) {
        remaining -= weight(element);
        if (remaining < 0) return element;
      }
      return undefined;
    },
  };
}
