import { expect } from 'chai';
import { seed, seeded } from '../../../support/seed.js';
import { historyMaker } from '../../../support/theses/call-history.js';
import { callOracle } from '../../../support/theses/call-oracle.js';
import { recordOf } from '../../../support/theses/record.js';
import { recordOracle } from '../../../support/theses/record-oracle.js';
import { useWorld } from '../../../support/world.js';

/** Number of trades in the history, and of reorgs on its way. */
const [TRADES, REORGS] = [200_000, 25];

describe('the record of theses in a long history', () => {
  const record = recordOf(useWorld());

  it(`equals the oracle and a fresh index after ${TRADES.toLocaleString('en')} trades and ${REORGS} reorgs`, async () => {
    const start = new Date('2026-08-01T00:00:00Z');
    const maker = historyMaker({ random: seeded(seed), wallets: 300, markets: 120, start, pause: 24, reasoned: 0.02 });
    const part = TRADES / (REORGS + 1);
    let history = maker.grow(part);
    await record.begin(history);
    for (let reorg = 0; reorg < REORGS; reorg++) {
      await record.reach(history);
      // Most reorgs are of minutes, and some of hours, so that they take judgements back.
      const lost = reorg % 5 === 4 ? 2000 : 40;
      history = maker.fork(history, lost, part + lost, `fork ${reorg}`);
    }
    const now = await record.reach(history);
    const come = history.reasons.filter(({ at }) => at <= now);
    const expected = callOracle(history.facts, come, history.end, now);
    const [theses, records] = [await record.stored(), await record.records()];
    expect(theses).to.deep.equal(expected);
    expect(records).to.deep.equal(recordOracle(history.facts, expected));
    expect(records.filter(({ rank }) => rank !== null)).to.have.length.above(50);
    expect(await record.again()).to.deep.equal(theses);
    expect(await record.records()).to.deep.equal(records);
  });
});
