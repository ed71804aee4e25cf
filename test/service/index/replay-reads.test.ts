import { expect } from 'chai';
import { loadTrades } from '../../../src/index/reorg.js';
import type { Sql } from '../../../src/store/sql.js';
import { addListedAgent, addTrade } from '../../support/market/rows.js';
import { useWorld } from '../../support/world.js';

describe('a replay of positions', () => {
  const world = useWorld();

  it('reads trades page by page, and only those of its pairs of agent and holder', async () => {
    const wallets: string[] = [];
    for (const name of ['One', 'Two', 'Three']) wallets.push((await addListedAgent(world, { name })).wallet);
    for (const agent of wallets) for (const trader of wallets) await addTrade(world, { agent, trader });
    // Of the nine trades, three belong to these pairs. So pages of at most 2 have 2 and 1 rows.
    const pairs = wallets.map((agent, i) => ({ agent, holder: wallets[(i + 1) % 3] as string }));
    const sizes: number[] = [];
    const sql: Sql = async (text, values) => {
      const rows = await world.deps.sql(text, values);
      sizes.push(rows.length);
      return rows as never;
    };
    const read = await Array.fromAsync(loadTrades(sql, pairs, 2));
    expect(sizes).to.deep.equal([2, 1]);
    expect(read.flat().map(({ agent, trader }) => ({ agent, holder: trader }))).to.have.deep.members(pairs);
    expect((await Array.fromAsync(loadTrades(sql, []))).flat()).to.deep.equal([]);
  });
});
