import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { calibrationOf } from '../../../../src/features/theses/calibration.js';
import {
  boughtWorth,
  eligibilityOf,
  type GivenThesis,
  hasPaid,
  moveOf,
  soldWorth,
  weightOf,
  worthSum,
} from '../../../../src/features/theses/rules.js';
import { effectiveOf, scoreWithBound, shareOf, wilson } from '../../../../src/features/theses/statistics.js';

const UNIT = 20_000_000_000_000n;
const at = (hours: number): Date => new Date(Date.parse('2026-09-01T00:00:00Z') + hours * 3_600_000);
const thesis: GivenThesis = { own: ['a', 'b'], agent: 'm', price: 10n ** 15n, tradedAt: at(30), createdAt: at(30.1) };

describe('the eligibility of a thesis', () => {
  const calls = (count: number, hour: number) =>
    Array.from({ length: count }, (_, i) => ({ agent: `other ${i}`, tradedAt: at(hour) }));

  for (const [what, expected, given, earlier] of [
    ['in time, of 0.001 ETH', 'counts', {}, []],
    ['10 minutes after its trade', 'counts', { createdAt: new Date(at(30).getTime() + 600_000) }, []],
    ['a millisecond later', 'late', { createdAt: new Date(at(30).getTime() + 600_001) }, []],
    ['before its block, by a clock that differs', 'counts', { createdAt: at(29.9) }, []],
    ['on tickets of its author', 'ownMarket', { agent: 'a' }, []],
    ['below 0.001 ETH', 'tooSmall', { price: 10n ** 15n - 1n }, []],
    ['less than 24 hours after a call in the market', 'joined', {}, [{ agent: 'm', tradedAt: at(6.001) }]],
    ['24 hours after a call in the market', 'counts', {}, [{ agent: 'm', tradedAt: at(6) }]],
    ['after 19 calls on its day', 'counts', {}, calls(19, 24)],
    ['after 20 calls on its day', 'dailyLimit', {}, calls(20, 24)],
    ['after 20 calls on the day before', 'counts', {}, calls(20, 23.99)],
  ] as const) {
    it(`${what} is ${expected}`, () => {
      expect(eligibilityOf({ ...thesis, ...given }, earlier)).to.equal(expected);
    });
  }
});

describe('the outcome of a call', () => {
  it('has a move of exactly 0 at the same supply, bought or sold, at every size', () => {
    for (const [before, amount] of [
      [1, 1],
      [10, 5],
      [1_000_000, 20],
    ] as const) {
      expect(moveOf(boughtWorth(before, amount), [{ supply: before + amount, seconds: 360 }])).to.equal(0);
      const sale = { supply: before, seconds: 360 };
      expect(moveOf(soldWorth(before + amount, amount), [sale])).to.equal(0);
    }
  });

  it('has a move between -ln 4 and ln 4, also where the tickets are worth nothing', () => {
    const most = Math.round(Math.log(4) * 1e6);
    expect(moveOf(boughtWorth(10, 1), [{ supply: 1000, seconds: 1 }])).to.equal(most);
    expect(moveOf(boughtWorth(10, 1), [{ supply: 1, seconds: 1 }])).to.equal(-most);
    const half = [1, 11].map((supply) => ({ supply, seconds: 1 }));
    expect(moveOf(boughtWorth(10, 1), half)).to.equal(Math.round(-Math.log(4) * 5e5));
  });

  it('is paid only above the fees of both ways, to the wei', () => {
    const rate = { fees: 1n, price: 10n };
    // 110 paid with fees. Selling at a worth w brings 0.9 w.
    const bought = { sale: false, paid: 110n, rate };
    expect(hasPaid(bought, { sum: 1222n * 3n, seconds: 30n })).to.equal(false);
    expect(hasPaid(bought, { sum: 1223n * 3n, seconds: 30n })).to.equal(true);
    // 90 received after fees. Buying back at a worth w costs 1.1 w.
    const sold = { sale: true, paid: 90n, rate };
    expect(hasPaid(sold, { sum: 818n, seconds: 10n })).to.equal(true);
    expect(hasPaid(sold, { sum: 819n, seconds: 10n })).to.equal(false);
  });

  it('is that of the worked example in docs/theses.md', () => {
    const text = readFileSync('docs/theses.md', 'utf8');
    const planner = boughtWorth(10, 5);
    expect(planner.start).to.equal(730n * UNIT);
    expect([planner.at(15), planner.at(18), planner.at(35)]).to.deep.equal([730n, 1135n, 5130n].map((units) => units * UNIT));
    const day = 8640;
    const followed = moveOf(planner, [{ supply: 18, seconds: day }]) / 1e6;
    const pushed =
      moveOf(planner, [
        { supply: 15, seconds: day - 60 },
        { supply: 35, seconds: 60 },
      ]) / 1e6;
    const rate = { fees: 1n, price: 10n };
    const paid = { sale: false, paid: 803n * UNIT, rate };
    expect(hasPaid(paid, worthSum(planner, [{ supply: 18, seconds: day }]))).to.equal(true);
    for (const shown of [followed.toFixed(3), (followed - 0.1).toFixed(3), pushed.toFixed(3), '803', '1,021']) {
      expect(text).to.include(shown);
    }
  });

  it('weighs as much as its price, up to 0.01 ETH', () => {
    expect([10n ** 15n, 5n * 10n ** 15n, 10n ** 16n, 10n ** 18n].map(weightOf)).to.deep.equal([50, 250, 500, 500]);
  });
});

describe('the record of an author', () => {
  it('has shares with the lower bound of Wilson', () => {
    expect(wilson(0.8, 10)).to.be.closeTo(0.541, 0.001);
    expect(wilson(0.7, 40)).to.be.closeTo(0.57, 0.005);
    expect(wilson(1, 3)).to.be.closeTo(0.526, 0.001);
    const calls = [500, 500, 500, 250].map((weight, i) => ({ weight, paid: i < 3 }));
    expect(shareOf(calls, ({ paid }) => paid)).to.deep.equal({ percent: 85.71, atLeast: 43.69 });
    expect(shareOf([], () => true)).to.deep.equal({ percent: null, atLeast: null });
  });

  it('draws the score of a few calls to 0, and counts light calls less', () => {
    const calls = (count: number, weight: number) => Array.from({ length: count }, () => ({ weight, excess: 0.3 }));
    expect(scoreWithBound(calls(3, 500)).score).to.be.closeTo((3 * 0.3) / 13, 1e-12);
    expect(scoreWithBound(calls(3, 500)).lowerBound).to.be.below(0);
    expect(scoreWithBound(calls(40, 500)).lowerBound).to.be.above(0.1);
    expect(scoreWithBound(calls(40, 50)).score).to.be.closeTo((4 * 0.3) / 14, 1e-12);
    expect(scoreWithBound([])).to.include({ score: 0 });
    for (let weight = 50; weight <= 500; weight++) expect(effectiveOf(calls(10, weight)), String(weight)).to.equal(10);
    expect(effectiveOf([...calls(10, 500), ...calls(90, 5)])).to.be.closeTo(11.9, 0.1);
  });

  it('has a calibration in five ranges, and skill only beside the base rate', () => {
    const made = (confidence: number, paid: boolean) => ({ confidence, paid, base: 0.5 });
    const { brier, baseBrier, bins } = calibrationOf('a', [made(90, true), made(81, true), made(20, false), made(1, false)]);
    expect({ brier, baseBrier }).to.deep.equal({ brier: 0.02155, baseBrier: 0.25 });
    expect(bins.map(({ from, to, calls }) => [from, to, calls])).to.deep.equal([
      [1, 20, 2],
      [21, 40, 0],
      [41, 60, 0],
      [61, 80, 0],
      [81, 99, 2],
    ]);
    expect(bins.at(-1)).to.include({ confidence: 85.5, paid: 100, atLeast: 42.5, atMost: 100 });
    expect(bins[1]).to.include({ confidence: null, paid: null, atLeast: null, atMost: null });
  });
});
