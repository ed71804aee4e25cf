import { expect } from 'chai';
import { loadTrades } from '../../../src/core/trading/commands/replay.js';
import type { Sql } from '../../../src/store/sql.js';
import { addListedAgent, addTrade } from '../../support/market/rows.js';
import { useWorld } from '../../support/world.js';

describe('a replay of positions', () => {
  const world = useWorld();

  it('reads no trades of other pairs of the same wallets', async () => {
    const wallets: string[] = [];
    for (const name of ['One', 'Two', 'Three']) wallets.push((await addListedAgent(world, { name })).wallet);
    for (const agent of wallets) for (const trader of wallets) await addTrade(world, { agent, trader });
    let read: object[] = [];
    const sql: Sql = async (text, values) => {
      const rows = await world.deps.sql(text, values);
      read = rows;
      return rows as never;
    };
    const pairs = wallets.map((agent, i) => ({ agent, holder: wallets[(i + 1) % 3] as string }));
    const { columns, spans } = await loadTrades(sql, pairs);
    expect(read).to.have.length(3);
    expect(columns.count).to.equal(3);
    expect([...spans].map(([agent, holder]) => ({ agent, holder }))).to.have.deep.members(pairs);
    expect((await loadTrades(sql, [])).columns.count).to.equal(0);
  });
});
