import { expect } from 'chai';
import type { Traded } from '../../../../src/chain/logs/facts.js';
import { type CandleInterval, candlesOf } from '../../../../src/features/trading/prices/candles.js';
import { readTrades, type TradeRange, tradesOf, tradeTotal, tradeTotals } from '../../../../src/features/trading/trades.js';
import { DAY_MS, HOUR_MS } from '../../../../src/values/time.js';
import { marketOf, randomHistory } from '../../../support/profits/market.js';
import { candlesIn } from '../../../support/profits/oracle.js';
import type { CallHistory } from '../../../support/theses/call-history.js';
import { useWorld } from '../../../support/world.js';

const MINUTE_MS = 60_000;

describe('in a random market over five weeks', () => {
  const world = useWorld();
  let history: CallHistory;
  let market: Awaited<ReturnType<typeof marketOf>>;

  beforeEach(async () => {
    history = randomHistory();
    market = await marketOf(world, history);
  });

  const lengths: readonly (readonly [CandleInterval, number])[] = [
    ['1m', MINUTE_MS],
    ['5m', 5 * MINUTE_MS],
    ['15m', 15 * MINUTE_MS],
    ['1h', HOUR_MS],
    ['4h', 4 * HOUR_MS],
    ['1d', DAY_MS],
  ];
  for (const [interval, length] of lengths) {
    it(`the candles of ${interval} are what the facts say, also page by page`, async () => {
      const agents = history.facts.flatMap((fact) => (fact.kind === 'registered' ? [fact.agent] : []));
      for (const agent of agents) {
        const expected = candlesIn(history.facts, agent, length);
        const shown = async (before: Date | undefined, limit: number) =>
          (await candlesOf(market.deps, agent, { interval, before, limit })).map(({ wallet, time, ...row }) => ({
            time: time.getTime(),
            ...row,
          }));
        expect(await shown(undefined, 500)).to.deep.equal(expected.slice(-500));
        for (const i of [1, 20, expected.length - 1]) {
          // The interval that contains the time is whole, although its last trades come after that time.
          const before = new Date((expected[i]?.time ?? 0) + 1000);
          expect(await shown(before, 5)).to.deep.equal(expected.slice(Math.max(0, i - 4), i + 1));
        }
      }
    });
  }

  it('the trades from a time on, before a time and of some tickets are those that the facts say, with their number', async () => {
    const { deps, now, wallets } = market;
    const trades = history.facts.filter((fact): fact is Traded => fact.kind === 'bought' || fact.kind === 'sold');
    const at = (share: number) => (trades[Math.floor(trades.length * share)] as Traded).time;
    const ranges: readonly TradeRange[] = [
      {},
      { since: at(0.3) },
      { until: at(0.6) },
      { minAmount: 5 },
      { sale: true },
      { sale: false, since: at(0.7) },
      { since: at(0.2), until: at(0.8), minAmount: 2 },
      { since: at(0.5), until: at(0.5) },
      { since: new Date(now.getTime() + DAY_MS) },
      { until: new Date('2026-08-01T00:00:00Z') },
    ];
    const [wallet = ''] = wallets;
    for (const range of ranges) {
      const { since = new Date(0), until = new Date(8.64e15), minAmount = 1, sale } = range;
      const expected = trades
        .filter(({ time, amount }) => time >= since && time < until && amount >= minAmount)
        .filter(({ kind }) => sale === undefined || sale === (kind === 'sold'))
        .reverse();
      const keys = (rows: readonly { readonly txHash: string; readonly ordinal: number }[]) => rows.map(keyOf);
      const page = { offset: 0, limit: 1000 };
      expect(keys(await readTrades(deps, range, { page }))).to.deep.equal(keys(expected));
      expect(await tradeTotal(deps, range)).to.equal(expected.length);
      for (const side of ['made', 'received'] as const) {
        const own = expected.filter((trade) => (side === 'made' ? trade.trader : trade.agent) === wallet);
        const read = await tradesOf(deps, [wallet], { side, range, page });
        expect(keys(read.get(wallet) ?? [])).to.deep.equal(keys(own));
        expect((await tradeTotals(deps, [wallet], side, range)).get(wallet) ?? 0).to.equal(own.length);
      }
    }
  });
});

const keyOf = ({ txHash, ordinal }: { readonly txHash: string; readonly ordinal: number }): string => `${txHash} ${ordinal}`;
