import { type RangeSize, readAll } from '../chain/logs/range-size.js';
import { type ChainRange, joined } from '../chain/logs/ranges.js';
import type { Market } from '../chain/market.js';

const IN_FLIGHT = 6;
/** How much is applied at once: what comes up more often in it is written once, but all of it is in memory meanwhile. */
const FACTS_AT_ONCE = 20_000;

/**
 * Reads ahead, several ranges in flight, and applies them in order, until one is refused. What has been read by the time
 * that something else was applied is applied as one range.
 */
export async function follow(
  market: Market,
  from: number,
  head: number,
  size: RangeSize,
  apply: (range: ChainRange) => Promise<boolean>,
): Promise<void> {
  const ahead: Read[] = [];
  let next = from;
  const readOn = () => {
    while (next <= head && ahead.length < IN_FLIGHT) {
      const to = Math.min(head, next + size.blocks - 1);
      ahead.push(new Read(readAll(market, next, to, size)));
      next = to + 1;
    }
  };
  for (readOn(); ahead.length > 0; ) {
    const ranges = (await ahead.shift()?.ranges) ?? [];
    let facts = countOf(ranges);
    while (ahead[0]?.ended && facts + countOf(ahead[0].ended) <= FACTS_AT_ONCE) {
      facts += countOf(ahead[0].ended);
      ranges.push(...((await ahead.shift()?.ranges) ?? []));
    }
    readOn();
    for (const range of joinedUp(ranges)) {
      // Somebody else moved the cursor, or the chain was reorganised: begin again from where the cursor is.
      if (!(await apply(range))) return;
    }
  }
}

/** A read that is under way or has ended. Its failure is seen when its turn comes, or not at all if an earlier one fails. */
class Read {
  ended: readonly ChainRange[] | undefined;
  constructor(readonly ranges: Promise<ChainRange[]>) {
    ranges.then(
      (all) => {
        this.ended = all;
      },
      () => {},
    );
  }
}

const countOf = (ranges: readonly ChainRange[]): number => ranges.reduce((sum, { facts }) => sum + facts.length, 0);

/** As few ranges as they can be. Where two do not follow on each other, the second is for the index to refuse. */
function joinedUp(ranges: readonly ChainRange[]): ChainRange[] {
  const all: ChainRange[] = [];
  for (const range of ranges) {
    const last = all.at(-1);
    const few = last !== undefined && last.facts.length + range.facts.length <= FACTS_AT_ONCE;
    const merged = few ? joined(last, range) : null;
    if (merged) all[all.length - 1] = merged;
    else all.push(range);
  }
  return all;
}
