/** Numbers that look drawn by chance, and are the same again for the same seed. */
export type Random = {
  /** 0 up to and without 1. */
  next(): number;
  /** An integer from `low` to `high`, both of them possible. */
  between(low: number, high: number): number;
  chance(probability: number): boolean;
  /** One of the list; undefined of an empty one. */
  pick<T>(list: readonly T[]): T | undefined;
  /** One of the list, each as probable as its weight says; undefined where nothing weighs anything. */
  weighted<T>(list: readonly T[], weight: (one: T) => number): T | undefined;
};

/** The generator is mulberry32: 32 bits of state are plenty for a few thousand draws. */
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
      let left = next() * list.reduce((sum, one) => sum + weight(one), 0);
      for (const one of list) {
        left -= weight(one);
        if (left < 0) return one;
      }
      return undefined;
    },
  };
}
