import { expect } from 'chai';
import { loadTrades } from '../../../src/core/trading/commands/replay.js';
import { addListedAgent, addTrade } from '../../support/market/rows.js';
import { useWorld } from '../../support/world.js';

describe('a replay of positions', () => {
  const world = useWorld();

  it('reads no trades of other pairs of the same wallets', async () => {
    const wallets: string[] = [];
    for (const name of ['One', 'Two', 'Three']) wallets.push((await addListedAgent(world, { name })).wallet);
    for (const agent of wallets) for (const trader of wallets) await addTrade(world, { agent, trader });
    const pairs = wallets.map((agent, i) => ({ agent, holder: wallets[(i + 1) % 3] as string }));
    const { sql } = world.deps;
    const read = await loadTrades(sql, pairs);
    expect(read.map(({ agent, trader }) => ({ agent, holder: trader }))).to.have.deep.members(pairs);
    expect(await loadTrades(sql, [])).to.deep.equal([]);
  });
});
