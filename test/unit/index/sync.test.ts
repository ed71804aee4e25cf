import { setImmediate as afterReads } from 'node:timers/promises';
import { expect } from 'chai';
import type { Chain } from '../../../src/chain/chain.js';
import { RangeSize, readInParts } from '../../../src/chain/logs/range-size.js';
import { type ChainRange, joinRanges } from '../../../src/chain/logs/ranges.js';
import { syncRanges } from '../../../src/index/sync.js';

describe('the reading of blocks ahead', () => {
  it('takes fewer blocks at a time when they contain many facts', async () => {
    const size = new RangeSize();
    const fact = {} as ChainRange['facts'][number];
    const asked: number[] = [];
    const chain: Partial<Chain> = {
      range: async (from: number, to: number) => {
        asked.push(to - from + 1);
        // 100 facts per block. A range should have at most 5,000, which are 50 blocks.
        const facts = Array.from({ length: (to - from + 1) * 100 }, () => fact);
        return { from, to, parentHash: '', endHash: '', endTime: new Date(), headTime: new Date(), facts };
      },
    };
    for await (const { to } of readInParts(chain as Chain, 1, 1000, size)) expect(to).to.be.at.most(1000);
    // The first range has the initial size, and the last one has the remaining blocks.
    expect(asked.slice(1, -1).every((blocks) => blocks === 50)).to.equal(true);
    expect(size.blocks).to.equal(50);
  });

  const read = (from: number, to: number, parentHash = `0x${from - 1}`): ChainRange => ({
    from,
    to,
    parentHash,
    endHash: `0x${to}`,
    endTime: new Date(),
    headTime: new Date(),
    facts: [{ blockNumber: from } as ChainRange['facts'][number]],
  });

  it('merges ranges that were read while another was applied', async () => {
    const size = new RangeSize();
    size.blocks = 10;
    // The size stays at 10 blocks, so there are ten ranges.
    size.accept = () => {};
    const chain = { range: async (from: number, to: number) => read(from, to) } as Partial<Chain>;
    const applied: ChainRange[] = [];
    await syncRanges(chain as Chain, { from: 1, head: 100, size }, async (range) => {
      applied.push(range);
      await afterReads();
      return true;
    });
    expect(applied.length).to.be.below(6);
    const starts = applied.flatMap(({ facts }) => facts.map(({ blockNumber }) => blockNumber));
    expect(starts).to.deep.equal([1, 11, 21, 31, 41, 51, 61, 71, 81, 91]);
    for (const [i, range] of applied.entries()) {
      expect(range).to.include({ from: (applied[i - 1]?.to ?? 0) + 1, parentHash: `0x${range.from - 1}` });
      expect(range.endHash).to.equal(`0x${range.to}`);
    }
    expect(applied.at(-1)?.to).to.equal(100);
  });

  it('merges only consecutive ranges', () => {
    expect(joinRanges(read(1, 5), read(6, 9))).to.deep.include({ from: 1, to: 9, parentHash: '0x0', endHash: '0x9' });
    expect(joinRanges(read(1, 5), read(6, 9, '0xfork'))).to.equal(null);
    expect(joinRanges(read(1, 5), read(7, 9, '0x5'))).to.equal(null);
  });
});
