import type { Market } from '../market.js';
import { CHECKED_BLOCKS, type ChainRange, RangeRefused } from './ranges.js';

const FIRST = 200;
const LARGEST = 10_000;
/**
 * How many facts a range should hold. What is read at once is in memory at once, and larger answers are slower to take
 * apart: most of what they are made of then outlives the first collection of garbage.
 */
const FACTS = 5000;
/** After so many ranges that were accepted, what was refused is tried again: it may have held unusually much. */
const RETRY_AFTER = 50;

/** How many blocks the RPC gives at once: found out by asking, since nothing else tells. */
export class RangeSize {
  blocks: number;
  readonly #largest: number;
  #refused = Number.POSITIVE_INFINITY;
  #accepted = 0;

  /** `thorough` reads short ranges only, in which the RPC's lists of logs are not trusted. */
  constructor(readonly thorough = false) {
    this.#largest = thorough ? CHECKED_BLOCKS : LARGEST;
    this.blocks = thorough ? CHECKED_BLOCKS : FIRST;
  }

  accept(blocks: number, facts: number): void {
    const enough = Math.max(1, Math.floor((blocks * FACTS) / Math.max(1, facts)));
    if (facts > FACTS) this.blocks = Math.min(this.blocks, enough);
    if (facts > FACTS || blocks < this.blocks) return;
    if (++this.#accepted > RETRY_AFTER) {
      this.#accepted = 0;
      this.#refused = Number.POSITIVE_INFINITY;
    }
    this.blocks = Math.max(blocks, Math.min(this.#largest, this.#refused - 1, enough, Math.ceil(blocks * 1.5)));
  }

  refuse(blocks: number): void {
    this.#accepted = 0;
    this.#refused = Math.min(this.#refused, blocks);
    this.blocks = Math.max(1, Math.min(this.blocks, Math.floor(blocks / 2)));
  }
}

/** A range in as many parts as the RPC needs: what it refuses, in whatever words, is halved. */
export async function* readInParts(
  market: Market,
  from: number,
  to: number,
  size: RangeSize,
): AsyncGenerator<ChainRange, void> {
  for (let next = from; next <= to; ) {
    const blocks = Math.min(size.blocks, to - next + 1);
    try {
      const range = await market.range(next, next + blocks - 1, size.thorough);
      size.accept(blocks, range.facts.length);
      next += blocks;
      yield range;
    } catch (error) {
      if (!(error instanceof RangeRefused) || blocks === 1) throw error;
      size.refuse(blocks);
    }
  }
}

export async function readAll(market: Market, from: number, to: number, size: RangeSize): Promise<ChainRange[]> {
  const ranges: ChainRange[] = [];
  for await (const range of readInParts(market, from, to, size)) ranges.push(range);
  return ranges;
}
