import type { Market } from './market.js';
import { type ChainRange, RangeRefused } from './ranges.js';

const FIRST = 2000;
const LARGEST = 10_000;
/** After so many ranges that were accepted, what was refused is tried again: it may have held unusually much. */
const RETRY_AFTER = 50;

/** How many blocks the RPC gives at once: found out by asking, since nothing else tells. */
export class RangeSize {
  blocks = FIRST;
  #refused = Number.POSITIVE_INFINITY;
  #accepted = 0;

  accept(blocks: number): void {
    if (blocks < this.blocks) return;
    if (++this.#accepted > RETRY_AFTER) {
      this.#accepted = 0;
      this.#refused = Number.POSITIVE_INFINITY;
    }
    this.blocks = Math.max(blocks, Math.min(LARGEST, this.#refused - 1, Math.ceil(blocks * 1.5)));
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
      const range = await market.range(next, next + blocks - 1);
      size.accept(blocks);
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
