import { seeded } from '../../support/market/traffic.js';
import { seed } from '../../support/seed.js';

/** Random choices that depend on the seed of the run alone. */
export class Dice {
  readonly #random: () => number;

  /** `stream` separates the choices of one suite from those of another. */
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
  /** Returns each entry with the given probability, in order. */
  some<T>(list: readonly T[], probability: number): T[] {
    return list.filter(() => this.chance(probability));
  }
}
