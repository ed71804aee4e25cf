import { expect } from 'chai';
import { ensureCursor, OtherChainData, pruneHashes } from '../../src/index/cursor.js';
import { emptyTables, testDatabase } from '../support/database.js';
import { runSql } from '../support/store.js';
import { useWorld } from '../support/world.js';

describe('the index cursor', () => {
  const world = useWorld();

  beforeEach(async () => {
    await emptyTables((await testDatabase()).orm);
    await ensureCursor(world.deps, async () => 1);
    await runSql(world.deps, 'update indexer_cursor set block_number = 1000');
    await runSql(world.deps, "insert into chain_block select n, '0x' || n from generate_series(10, 1000, 10) as n");
  });

  const kept = async (finalized: number | null): Promise<unknown> => {
    await pruneHashes(world.deps, finalized);
    const [row] = await world.deps.sql<{ oldest: number; count: number }>(
      'select min(number) as oldest, count(*) as count from chain_block',
    );
    return row;
  };

  it('keeps the block hashes back to the newest one at or below the finalized block', async () => {
    expect(await kept(505)).to.deep.equal({ oldest: 500, count: 51 });
    expect(await kept(505)).to.deep.equal({ oldest: 500, count: 51 });
  });

  it('keeps the hashes of at least 256 blocks', async () => {
    expect(await kept(990)).to.deep.equal({ oldest: 740, count: 27 });
    expect(await kept(null)).to.deep.equal({ oldest: 740, count: 27 });
  });

  it('deletes no hash while no block is finalized', async () => {
    expect(await kept(0)).to.deep.equal({ oldest: 0, count: 101 });
  });

  it('refuses a database of another chain or contract', async () => {
    for (const other of [{ chainId: 1 }, { contract: `0x${'1'.repeat(40)}` }]) {
      const deps = { ...world.deps, market: { ...world.deps.market, ...other } };
      const refused = await ensureCursor(deps, async () => 1).catch((error: unknown) => error);
      expect(refused).to.be.instanceOf(OtherChainData);
    }
    await ensureCursor(world.deps, async () => 500);
  });
});
