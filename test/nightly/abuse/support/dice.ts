import { seed, seeded } from '../../../support/seed.js';

/** Random choices that depend only on the seed of the run, so a failed run can be repeated. */
export class Dice {
  readonly #random: () => number;

  /** `stream` is the number of a suite. It gives each suite different choices from the same seed. */
  constructor(stream: number) {
    this.#random = seeded(seed * 1000 + stream);
  }

  /** Returns an integer from 0 to `count` - 1. */
  below(count: number): number {
    return Math.floor(this.#random() * count);
  }
  chance(probability: number): boolean {
    return this.#random() < probability;
  }
  pick<T>(list: readonly T[]): T {
    if (list.length === 0) throw new Error('nothing to pick from');
    return list[this.below(list.length)] as T;
  }
  /** Returns a random part of the list, in order. Each entry is in it with the given probability. */
  some<T>(list: readonly T[], probability: number): T[] {
    return list.filter(() => this.chance(probability));
  }
}
