import { expect } from 'chai';
import { type Pnl, pnlOf } from '../../../src/features/trading/pnl.js';
import type { Sql } from '../../../src/store/sql.js';
import { indexAll } from '../../support/chain/indexed.js';
import { newTrader } from '../../support/market/traders.js';
import { useWorld } from '../../support/world.js';

describe('a PnL that is read while a trade is indexed', () => {
  const world = useWorld();

  const readAll = () => indexAll(world.deps);
  const figures = ({ summary, sales, holdings }: Pnl) => ({ summary, count: sales.count, holdings });

  it('includes the trade in all figures or in none', async () => {
    const trader = await newTrader(world.chain);
    await trader.register('Seller');
    await trader.buy(trader.wallet, 5);
    await trader.sell(trader.wallet, 1);
    await readAll();
    const seen = new Set<number>();
    for (let answered = 0; answered < 3; answered++) {
      const before = await pnlOf(world.deps, trader.wallet);
      await trader.sell(trader.wallet, 1);
      // The index applies the sale after the database has answered `answered` statements of the PnL.
      let turn = 0;
      let arrived: Promise<unknown> | undefined;
      const late: Sql = async (text, values) => {
        const position = turn++;
        if (position > answered) {
          arrived ??= readAll();
          await arrived;
        }
        return world.deps.sql(text, values);
      };
      const read = await pnlOf({ ...world.deps, sql: late }, trader.wallet);
      await readAll();
      const after = await pnlOf(world.deps, trader.wallet);
      expect(figures(read)).to.deep.be.oneOf([figures(before), figures(after)]);
      const realized = read.sales.newest.reduce((sum, { realizedPnl }) => sum + (realizedPnl ?? 0n), 0n);
      expect([read.sales.newest.length, realized]).to.deep.equal([read.sales.count, read.summary.realized]);
      seen.add(turn);
    }
    expect(Math.max(...seen)).to.be.greaterThan(1);
  });
});
