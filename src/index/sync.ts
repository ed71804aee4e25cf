import type { Chain } from '../chain/chain.js';
import { type RangeSize, readInParts } from '../chain/logs/range-size.js';
import { type ChainRange, joinRanges } from '../chain/logs/ranges.js';

/** Number of ranges that are read at the same time, or wait to be applied. */
const IN_FLIGHT = 6;
/** Maximum number of facts in one transaction. With more, frequently changed rows are written less often, but memory use grows. */
const MAX_FACTS_PER_TRANSACTION = 20_000;

/**
 * Reads ahead with several ranges in flight, and applies them in order until `apply` refuses one. Joins ranges that are waiting.
 */
export async function syncRanges(
  chain: Chain,
  { from, head, size }: { readonly from: number; readonly head: number; readonly size: RangeSize },
  apply: (range: ChainRange) => Promise<boolean>,
): Promise<void> {
  /** Reads in flight or completed. The error of a read is thrown at its turn, or ignored if an earlier one fails. */
  const ahead: { readonly ranges: Promise<ChainRange[]>; result?: readonly ChainRange[] }[] = [];
  let next = from;
  const readAhead = () => {
    while (next <= head && ahead.length < IN_FLIGHT) {
      const to = Math.min(head, next + size.blocks - 1);
      const read: (typeof ahead)[number] = { ranges: Array.fromAsync(readInParts(chain, next, to, size)) };
      read.ranges.then(
        (all) => {
          read.result = all;
        },
        () => {},
      );
      ahead.push(read);
      next = to + 1;
    }
  };
  for (readAhead(); ahead.length > 0; ) {
    const ranges = (await ahead.shift()?.ranges) ?? [];
    while (ahead[0]?.result && countOf([...ranges, ...ahead[0].result]) <= MAX_FACTS_PER_TRANSACTION) {
      ranges.push(...ahead[0].result);
      ahead.shift();
    }
    readAhead();
    for (const range of joinConsecutive(ranges)) {
      // Another writer moved the cursor, or a reorg occurred. The caller starts again from the cursor.
      if (!(await apply(range))) return;
    }
  }
}

const countOf = (ranges: readonly ChainRange[]): number => ranges.reduce((sum, { facts }) => sum + facts.length, 0);

/** Joins as many ranges as possible. Ranges that are not consecutive stay separate, and the index refuses the second. */
function joinConsecutive(ranges: readonly ChainRange[]): ChainRange[] {
  const all: ChainRange[] = [];
  for (const range of ranges) {
    const last = all.at(-1);
    const fits = last !== undefined && last.facts.length + range.facts.length <= MAX_FACTS_PER_TRANSACTION;
    const joined = fits ? joinRanges(last, range) : null;
    if (joined) all[all.length - 1] = joined;
    else all.push(range);
  }
  return all;
}
