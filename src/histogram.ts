/** Counts of observed values by their size, as Prometheus has them. */
export class Histogram {
  count = 0;
  sum = 0;
  readonly #counts: number[];

  /** `bounds`: the upper bounds of the buckets, ascending. */
  constructor(readonly bounds: readonly number[]) {
    this.#counts = bounds.map(() => 0);
  }

  observe(value: number): void {
    const bucket = this.bounds.findIndex((bound) => value <= bound);
    if (bucket >= 0) this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.count++;
    this.sum += value;
  }

  /** Each bound with the number of values up to it. */
  cumulated(): [bound: number, count: number][] {
    let sum = 0;
    return this.bounds.map((bound, i) => {
      sum += this.#counts[i] ?? 0;
      return [bound, sum];
    });
  }
}
