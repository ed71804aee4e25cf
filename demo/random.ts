/** Pseudo-random numbers. The same seed gives the same sequence. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** Number in [0, 1). This is mulberry32, whose 32 bits of state suffice for a few thousand draws. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  /** Integer in [low, high]. */
  between(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }
  chance(probability: number): boolean {
    return this.next() < probability;
  }
  /** Random element. undefined if the list is empty. */
  pick<T>(list: readonly T[]): T | undefined {
    return list[Math.floor(this.next() * list.length)];
  }
  /** Random element with the given weights. undefined if all weights are 0. */
  weighted<T>(list: readonly T[], weight: (element: T) => number): T | undefined {
    let remaining = this.next() * list.reduce((sum, element) => sum + weight(element), 0);
    return list.find((element) => {
      remaining -= weight(element);
      return remaining < 0;
    });
  }
}
