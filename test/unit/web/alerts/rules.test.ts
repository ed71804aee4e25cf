import { expect } from 'chai';
import { isPriceReached, isProfitReached, priceIn, profitIn, profitOf } from '../../../../web/src/alerts/rules.js';
import { alertTexts } from '../../../../web/src/alerts/texts.js';

const { faults } = alertTexts;
const ETHER = 10n ** 18n;
const alert = { id: 'x', agent: '0x', at: 0 };

describe('the rules of alerts', () => {
  // The price is 1 ETH now. A wanted price above it must be reached by a rise, and a lower price by a fall.
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
    it(`read the price "${text}" or say what is wrong with it`, () => {
      const read = priceIn(text, ETHER);
      expect(read).to.deep.equal(typeof expected === 'string' ? { fault: expected } : { wanted: { kind: 'price', ...expected } });
    });
  }

  // The profit is 12.5 % now. \u2212 is the minus sign of typography.
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
    it(`read the profit "${text}" or say what is wrong with it`, () => {
      const read = profitIn(text, 12.5);
      expect(read).to.deep.equal(typeof expected === 'string' ? { fault: expected } : { wanted: { kind: 'profit', ...expected } });
    });
  }

  it('count a price as reached at exactly its wei, from the side that was asked for', () => {
    const reached = (rises: boolean) =>
      [-1n, 0n, 1n].map((by) => isPriceReached({ ...alert, kind: 'price', wei: String(ETHER), rises }, ETHER + by));
    expect(reached(true)).to.deep.equal([false, true, true]);
    expect(reached(false)).to.deep.equal([true, true, false]);
  });

  const holding = (cost: bigint, value: bigint) => ({ cost, value });

  it('count a profit as reached at exactly its percentage, and never for tickets that cost nothing', () => {
    const reached = (rises: boolean, percent: number, value: bigint, cost = 2n * ETHER) =>
      isProfitReached({ ...alert, kind: 'profit', wallet: '0x', percent, rises }, holding(cost, value));
    expect([-1n, 0n, 1n].map((by) => reached(true, 50, 3n * ETHER + by))).to.deep.equal([false, true, true]);
    expect([-1n, 0n, 1n].map((by) => reached(false, -50, ETHER + by))).to.deep.equal([true, true, false]);
    // A loss of one wei does not count as a profit of 0 %.
    expect(reached(true, 0, 2n * ETHER - 1n)).to.equal(false);
    expect([reached(true, 50, ETHER, 0n), reached(false, 50, ETHER, 0n)]).to.deep.equal([false, false]);
  });

  it('compute the profit in percent of the cost, and none for tickets that cost nothing', () => {
    expect(profitOf(holding(3n * ETHER, 4n * ETHER))).to.equal(33.33);
    expect(profitOf(holding(3n * ETHER, 2n * ETHER))).to.equal(-33.33);
    expect(profitOf(holding(ETHER, 0n))).to.equal(-100);
    expect(profitOf(holding(0n, ETHER))).to.equal(undefined);
  });
});
