import { expect } from 'chai';
import { isPriceReached, isProfitReached, priceIn, profitIn, profitOf } from '../../web/src/alerts/rules.js';
import { texts } from '../../web/src/texts.js';

const { faults } = texts.alerts;
const ETHER = 10n ** 18n;
const at = { id: 'x', agent: '0x' };

describe('the rules of alerts', () => {
  for (const [text, expected] of [
    ['2', { wei: String(2n * ETHER), rises: true }],
    [' 0.5 ', { wei: String(ETHER / 2n), rises: false }],
    ['0.999999999999999999', { wei: String(ETHER - 1n), rises: false }],
    ['1', faults.now],
    ['1.0', faults.now],
    ['0', faults.price],
    ['', faults.price],
    ['-1', faults.price],
    ['1e3', faults.price],
    ['1,5', faults.price],
    ['0.0000000000000000001', faults.price],
  ] as const) {
    it(`read a price as it stands: "${text}"`, () => {
      const read = priceIn(text, ETHER);
      expect(read).to.deep.equal(
        typeof expected === 'string' ? { fault: expected } : { wanted: { kind: 'price', ...expected } },
      );
    });
  }

  for (const [text, expected] of [
    ['50', { percent: 50, rises: true }],
    ['+50.25', { percent: 50.25, rises: true }],
    ['-20', { percent: -20, rises: false }],
    ['\u221220.5', { percent: -20.5, rises: false }],
    ['0', { percent: 0, rises: false }],
    ['-100', { percent: -100, rises: false }],
    ['-100.01', faults.profit],
    ['12.5', faults.now],
    ['', faults.profit],
    ['5%', faults.profit],
    ['1.234', faults.profit],
    ['1e3', faults.profit],
  ] as const) {
    it(`read a profit as it stands: "${text}"`, () => {
      const read = profitIn(text, 12.5);
      expect(read).to.deep.equal(
        typeof expected === 'string' ? { fault: expected } : { wanted: { kind: 'profit', ...expected } },
      );
    });
  }

  it('reach a price at exactly its wei, from the side that was asked for', () => {
    const reached = (rises: boolean) =>
      [-1n, 0n, 1n].map((by) => isPriceReached({ ...at, kind: 'price', wei: String(ETHER), rises }, ETHER + by));
    expect(reached(true)).to.deep.equal([false, true, true]);
    expect(reached(false)).to.deep.equal([true, true, false]);
  });

  it('reach a profit at its percentage, and never without a position', () => {
    const reached = (rises: boolean, now: number | undefined) =>
      isProfitReached({ ...at, kind: 'profit', wallet: '0x', percent: 50, rises }, now);
    expect([49.99, 50, 50.01, undefined].map((now) => reached(true, now))).to.deep.equal([false, true, true, false]);
    expect([49.99, 50, 50.01, undefined].map((now) => reached(false, now))).to.deep.equal([true, true, false, false]);
  });

  it('compute the profit in percent of the cost, which a position without cost has not', () => {
    const profit = (cost: bigint, value: bigint) => profitOf({ address: '0x', tickets: 1, cost }, value);
    expect(profit(3n * ETHER, 4n * ETHER)).to.equal(33.33);
    expect(profit(3n * ETHER, 2n * ETHER)).to.equal(-33.33);
    expect(profit(ETHER, 0n)).to.equal(-100);
    expect(profit(0n, ETHER)).to.equal(undefined);
  });
});
