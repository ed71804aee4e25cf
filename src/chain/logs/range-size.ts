import type { Chain } from '../chain.js';
import { CHECKED_BLOCKS, type ChainRange, RangeRefused } from './ranges.js';

const INITIAL_BLOCKS = 200;
const MAX_BLOCKS = 10_000;
/**
 * Target number of facts in a range, because a range is in memory as a whole. Larger answers are also slower to parse: their
 * objects survive the first garbage collection.
 */
const TARGET_FACTS = 5000;
/** Number of accepted ranges in a row after which a refused size is tried again: the refused range may have been unusually full. */
const RETRY_AFTER = 50;

/** Number of blocks per request for logs. It adapts to what the RPC accepts, because RPCs do not announce their limit. */
export class RangeSize {
  blocks: number;
  readonly #largest: number;
  #refused = Number.POSITIVE_INFINITY;
  #accepted = 0;

  /** With `fromReceipts`, ranges have at most CHECKED_BLOCKS blocks, because only such short ranges can be read from receipts. */
  constructor(readonly fromReceipts = false) {
    this.#largest = fromReceipts ? CHECKED_BLOCKS : MAX_BLOCKS;
    this.blocks = fromReceipts ? CHECKED_BLOCKS : INITIAL_BLOCKS;
  }

  /** Adapts the size after a range with `facts` facts was read: larger by at most half, and small enough for TARGET_FACTS. */
  accept(blocks: number, facts: number): void {
    const enough = Math.max(1, Math.floor((blocks * TARGET_FACTS) / Math.max(1, facts)));
    if (facts > TARGET_FACTS) this.blocks = Math.min(this.blocks, enough);
    // A range that is shorter than `blocks`, such as the last range, does not show whether longer ranges would be accepted.
    if (facts > TARGET_FACTS || blocks < this.blocks) return;
    if (++this.#accepted > RETRY_AFTER) {
      this.#accepted = 0;
      this.#refused = Number.POSITIVE_INFINITY;
    }
    this.blocks = Math.max(blocks, Math.min(this.#largest, this.#refused - 1, enough, Math.ceil(blocks * 1.5)));
  }

  /** Halves the size. It stays below the refused size until RETRY_AFTER ranges in a row were accepted. */
  refuse(blocks: number): void {
    this.#accepted = 0;
    this.#refused = Math.min(this.#refused, blocks);
    this.blocks = Math.max(1, Math.min(this.blocks, Math.floor(blocks / 2)));
  }
}

/** Reads a range in parts. If the RPC refuses a part, with whatever message, the part is halved and read again. */
export async function* readInParts(chain: Chain, from: number, to: number, size: RangeSize): AsyncGenerator<ChainRange, void> {
  for (let next = from; next <= to; ) {
    const blocks = Math.min(size.blocks, to - next + 1);
    try {
      const range = await chain.range(next, next + blocks - 1, size.fromReceipts);
      size.accept(blocks, range.facts.length);
      next += blocks;
      yield range;
    } catch (error) {
      if (!(error instanceof RangeRefused) || blocks === 1) throw error;
      size.refuse(blocks);
    }
  }
}
