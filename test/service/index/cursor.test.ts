import { expect } from 'chai';
import { ensureCursor, OtherChainData, pruneHashes, readCursor } from '../../../src/index/cursor.js';
import { emptyTables, testDatabase } from '../../support/database.js';
import { thrownBy } from '../../support/refused.js';
import { runSql } from '../../support/store.js';
import { useWorld } from '../../support/world.js';

describe('the index cursor', () => {
  const world = useWorld();

  beforeEach(async () => {
    await emptyTables((await testDatabase()).orm);
    await ensureCursor(world.deps, async () => 1);
    // The cursor is at block 1000. The hashes of block 0 and of every tenth block are stored.
    await runSql(world.deps, 'update indexer_cursor set block_number = 1000');
    await runSql(world.deps, "insert into chain_block select n, '0x' || n from generate_series(10, 1000, 10) as n");
  });

  for (const [which, finalized, kept] of [
    ['back to the newest one at or below the finalized block', 505, { oldest: 500, count: 51 }],
    ['of at least 256 blocks', 990, { oldest: 740, count: 27 }],
    ['of 256 blocks while the finalized block is unknown', null, { oldest: 740, count: 27 }],
    ['of all blocks while no block is finalized', 0, { oldest: 0, count: 101 }],
  ] as const) {
    it(`keeps the hashes ${which}`, async () => {
      // The second pruning deletes nothing more.
      for (let times = 0; times < 2; times++) {
        await pruneHashes(world.deps, finalized);
        const text = 'select min(number) as oldest, count(*) as count from chain_block';
        expect(await world.deps.sql(text)).to.deep.equal([kept]);
      }
    });
  }

  it('starts at the block before the first one, and counts as proved up to there', async () => {
    await emptyTables((await testDatabase()).orm);
    const chain = { ...world.deps.chain, hashes: async () => [`0x${'1'.repeat(64)}`] };
    await ensureCursor({ ...world.deps, chain }, async () => 3);
    expect(await readCursor(world.deps)).to.include({ blockNumber: 2, provedTo: 2 });
  });

  it('refuses a database of another chain or contract', async () => {
    for (const other of [{ chainId: 1 }, { contract: `0x${'1'.repeat(40)}` }]) {
      const deps = { ...world.deps, chain: { ...world.deps.chain, ...other } };
      expect(await thrownBy(ensureCursor(deps, async () => 1))).to.be.instanceOf(OtherChainData);
    }
    // Another start block is ignored, because the cursor already exists.
    await ensureCursor(world.deps, async () => 500);
  });
});
