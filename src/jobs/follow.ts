import { type RangeSize, readAll } from '../chain/adaptive.js';
import type { Market } from '../chain/market.js';
import type { ChainRange } from '../chain/ranges.js';

const IN_FLIGHT = 3;

/** Reads ahead, several ranges in flight, and applies them in order, until one is refused. */
export async function follow(
  market: Market,
  from: number,
  head: number,
  size: RangeSize,
  apply: (range: ChainRange) => Promise<boolean>,
): Promise<void> {
  const ahead: Promise<ChainRange[]>[] = [];
  let next = from;
  while (next <= head || ahead.length > 0) {
    while (next <= head && ahead.length < IN_FLIGHT) {
      const to = Math.min(head, next + size.blocks - 1);
      const read = readAll(market, next, to, size);
      // Its failure is seen when its turn comes, or not at all if an earlier one fails.
      read.catch(() => {});
      ahead.push(read);
      next = to + 1;
    }
    for (const range of (await ahead.shift()) ?? []) {
      // Somebody else moved the cursor, or the chain was reorganised: begin again from where the cursor is.
      if (!(await apply(range))) return;
    }
  }
}
