import { expect } from 'chai';
import fc from 'fast-check';
import { type Activity, rankByTrend } from '../../../src/features/agents/activity.js';

const NOW = new Date('2026-06-01T12:00:00.000Z');
const hoursAgo = (hours: number) => new Date(NOW.getTime() - hours * 3_600_000);
const once = { supply: 1, volume: 10n, txCount: 1, uniqueTraders: 1, priceChange24h: 0, newHolders24h: 0 };
const activity = (wallet: string, given: Partial<Activity> = {}): Activity => {
  return { wallet, ...once, lastTradeAt: NOW, ...given };
};
const scores = (...candidates: Activity[]) =>
  rankByTrend(candidates, NOW).map(({ wallet, trendScore }) => [wallet, trendScore]);

describe('the trend score', () => {
  it('is the weighted sum of its parts, each relative to the highest candidate', () => {
    const busy = { volume: 200n, uniqueTraders: 4, priceChange24h: 50, lastTradeAt: hoursAgo(6), newHolders24h: 1 };
    const fresh = { volume: 50n, uniqueTraders: 2, priceChange24h: 100, lastTradeAt: NOW, newHolders24h: 4 };
    // The score of busy is 30 * 1 + 25 * 1 + 20 * 0.5 + 15 * 0.75 + 10 * 0.25 = 78.75, that of fresh is 30 * 0.25 + 25 * 0.5 + 20 * 1 + 15 * 1 +
    // 10 * 1 = 65.
    expect(scores(activity('0xb', fresh), activity('0xa', busy))).to.deep.equal([
      ['0xa', 79],
      ['0xb', 65],
    ]);
  });

  it('counts a part as zero when no candidate has a value in it, and a price drop as zero', () => {
    expect(scores(activity('0xa', { priceChange24h: -30 }))).to.deep.equal([['0xa', 70]]);
  });

  it('scales recency like the other parts, and treats a future block time as now', () => {
    const old = activity('0xa', { lastTradeAt: hoursAgo(18) });
    const older = activity('0xb', { lastTradeAt: hoursAgo(21) });
    // The recency of a trade 18 hours ago is 0.25, and 21 hours ago it is 0.125. It adds 15 * 1 and 15 * 0.5 to the 55
    // for volume and traders, because it is scaled to the maximum.
    expect(scores(old, older)).to.deep.equal([
      ['0xa', 70],
      ['0xb', 63],
    ]);
    expect(scores(activity('0xc', { lastTradeAt: hoursAgo(-1) }), activity('0xd'))).to.deep.equal([
      ['0xc', 70],
      ['0xd', 70],
    ]);
  });

  it('breaks ties by the number of trades, then by wallet address', () => {
    const tied = [activity('0xc'), activity('0xb', { txCount: 2 }), activity('0xa')];
    expect(scores(...tied).map(([wallet]) => wallet)).to.deep.equal(['0xb', '0xa', '0xc']);
  });

  it('is an integer from 0 to 100 and does not depend on the order of the candidates', () => {
    const candidates = fc.uniqueArray(
      fc.record({
        supply: fc.integer({ min: 1, max: 1000 }),
        wallet: fc.string({ minLength: 1 }),
        volume: fc.bigInt(0n, 2n ** 100n),
        txCount: fc.nat(),
        uniqueTraders: fc.nat(),
        priceChange24h: fc.double({ min: -100, max: 1e9, noNaN: true }),
        lastTradeAt: fc.integer({ min: -1, max: 24 }).map(hoursAgo),
        newHolders24h: fc.nat(),
      }),
      { selector: ({ wallet }) => wallet, maxLength: 20 },
    );
    fc.assert(
      fc.property(candidates, (given) => {
        const ranked = rankByTrend(given, NOW);
        expect(rankByTrend([...given].reverse(), NOW)).to.deep.equal(ranked);
        for (const { trendScore } of ranked) {
          expect(Number.isInteger(trendScore)).to.equal(true);
          expect(trendScore).to.be.within(0, 100);
        }
      }),
    );
  });
});
