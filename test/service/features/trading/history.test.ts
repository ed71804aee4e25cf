import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Traded } from '../../../../src/chain/logs/facts.js';
import type { Deps } from '../../../../src/deps.js';
import { LEADERS, pnlLeaderboard } from '../../../../src/features/trading/periods/leaderboard.js';
import { type PnlPeriodRow, pnlPeriods } from '../../../../src/features/trading/periods/periods.js';
import type { PeriodUnit } from '../../../../src/features/trading/periods/spans.js';
import { pnlSummariesOf } from '../../../../src/features/trading/pnl.js';
import { type CandleInterval, candlesOf } from '../../../../src/features/trading/prices/candles.js';
import { readTrades, type TradeRange, tradesOf, tradeTotal, tradeTotals } from '../../../../src/features/trading/trades.js';
import { catchUp } from '../../../../src/index/ingest.js';
import { formatEth } from '../../../../src/values/money.js';
import { DAY_MS, HOUR_MS } from '../../../../src/values/time.js';
import { emptyIndex } from '../../../support/chain/indexed.js';
import { historyChain } from '../../../support/market/histories.js';
import { candlesIn, type State, stateAt } from '../../../support/market/pnl-oracle.js';
import { addAgent } from '../../../support/market/rows.js';
import { seeded } from '../../../support/seed.js';
import { root } from '../../../support/service/process.js';
import { runSql } from '../../../support/store.js';
import { type CallHistory, chainOf, historyMaker, scripted, walletOf } from '../../../support/theses/call-history.js';
import { useWorld } from '../../../support/world.js';

const START = new Date('2026-08-20T10:30:00Z');
const MINUTE_MS = 60_000;
const units: readonly PeriodUnit[] = ['day', 'week', 'month', 'season', 'all'];
/** The fees of the contract of the tests, as a pair of fee and price. */
const CHARGED = [1n, 10n] as const;

describe('in a random market over two months', () => {
  const world = useWorld();
  let deps: Deps;
  let history: CallHistory;
  let wallets: string[] = [];
  let now: Date;

  beforeEach(async () => {
    const maker = historyMaker({
      random: seeded(62),
      wallets: 9,
      markets: 5,
      start: START,
      pause: (2 * HOUR_MS) / 1000,
      reasoned: 0,
    });
    history = maker.grow(900);
    now = new Date(history.end.getTime() + MINUTE_MS);
    const chain = historyChain(() => chainOf(history), world.deps.chain);
    deps = { ...world.deps, chain, clock: { now: () => now } };
    await emptyIndex(deps);
    expect(await catchUp(deps, chainOf(history).head)).to.equal(true);
    wallets = [...new Set(history.facts.flatMap((fact) => ('trader' in fact ? [fact.trader] : [])))].sort();
    // The second season starts when it likes, and the third runs.
    await runSql(
      deps,
      `insert into season (number, start_at, end_at) values (1, '2026-08-01', '2026-09-01'), (2, '2026-09-01T05:17:03Z', '2026-10-01'),
       (3, '2026-10-01', '2027-01-01')`,
      [],
    );
  });

  const stateOf = (wallet: string, time: Date): State => stateAt(history.facts, wallet, time, time > now ? CHARGED : undefined);

  /** The largest fall of the total between the full hours of a day, or the days of a longer period. */
  function fallIn(wallet: string, { start, end, unit }: PnlPeriodRow): bigint {
    const step = unit === 'day' ? HOUR_MS : DAY_MS;
    const inside: number[] = [];
    for (let time = start.getTime() + 1; time < end.getTime(); time++) {
      time = Math.ceil(time / step) * step;
      if (time < end.getTime()) inside.push(time);
    }
    const totals = [start.getTime(), ...inside, end.getTime()].map((time) => stateOf(wallet, new Date(time)).total);
    const falls = totals.flatMap((total, i) => totals.slice(0, i).map((before) => before - total));
    return falls.reduce((most, fall) => (fall > most ? fall : most), 0n);
  }

  for (const unit of units) {
    it(`the profit of each wallet by ${unit} is what the facts say`, async () => {
      for (const wallet of unit === 'day' ? wallets.slice(0, 3) : wallets) {
        const rows = await pnlPeriods(deps, wallet, { unit, limit: 100 });
        expect(rows).not.to.have.length(0);
        for (const row of rows) {
          const [from, to] = [stateOf(wallet, row.start), stateOf(wallet, row.end)];
          expect(row).to.deep.include({
            wallet,
            total: to.total - from.total,
            realized: to.realized - from.realized,
            unrealized: to.unrealized - from.unrealized,
            feesEarned: to.feesEarned - from.feesEarned,
            volume: to.volume - from.volume,
            feesPaid: to.feesPaid - from.feesPaid,
            trades: to.trades - from.trades,
            totalAtEnd: to.total,
            valueAtEnd: to.value,
          });
          expect(row.maxDrawdown).to.equal(fallIn(wallet, row));
        }
      }
    });
  }

  it('the profits add up to the wei: days to weeks and months, all of them to the whole time, and that to the summary', async () => {
    const summaries = await pnlSummariesOf(deps, wallets);
    for (const [i, wallet] of wallets.entries()) {
      const [days = [], weeks = [], months = [], [all] = []] = await Promise.all(
        (['day', 'week', 'month', 'all'] as const).map((unit) => pnlPeriods(deps, wallet, { unit, limit: 100 })),
      );
      const sum = (
        rows: readonly PnlPeriodRow[],
        name: 'total' | 'realized' | 'unrealized' | 'feesEarned' | 'volume' | 'feesPaid',
      ) => rows.reduce((sum, row) => sum + row[name], 0n);
      for (const name of ['total', 'realized', 'unrealized', 'feesEarned', 'volume', 'feesPaid'] as const) {
        for (const rows of [days, weeks, months]) expect(sum(rows, name)).to.equal(all?.[name]);
        for (const longer of [...weeks, ...months]) {
          const inside = days.filter(({ start, end }) => start >= longer.start && end <= longer.end);
          expect(sum(inside, name)).to.equal(longer[name]);
        }
      }
      const { total, realized, unrealized, feesEarned } = all as PnlPeriodRow;
      expect({ total, realized, unrealized, feesEarned }).to.deep.include({
        total: summaries[i]?.total,
        realized: summaries[i]?.realized,
        unrealized: summaries[i]?.unrealized,
        feesEarned: summaries[i]?.feesEarned,
      });
      expect(total).to.equal(realized + unrealized + feesEarned);
    }
  });

  it('the profits come page by page without a gap', async () => {
    const [wallet = ''] = wallets;
    const all = await pnlPeriods(deps, wallet, { unit: 'day', limit: 100 });
    const pages: PnlPeriodRow[] = [];
    for (let before: Date | undefined; ; before = pages[0]?.start) {
      const page = await pnlPeriods(deps, wallet, { unit: 'day', before, limit: 7 });
      if (page.length === 0) break;
      pages.unshift(...page);
    }
    expect(pages).to.deep.equal(all);
    expect(all.at(-1)?.end.getTime()).to.be.above(now.getTime());
    for (const [i, { end }] of all.slice(0, -1).entries()) expect(end).to.deep.equal(all[i + 1]?.start);
  });

  it('the leaderboards rank the agents of this service, in the running period and in each before it', async () => {
    for (const [i, wallet] of wallets.slice(0, 7).entries()) await addAgent({ ...world, deps }, { wallet, name: `Agent ${i}` });
    const agents = wallets.slice(0, 7);
    for (const unit of units) {
      const boards = new Set<number>();
      for (let before: Date | undefined; ; ) {
        const board = await pnlLeaderboard(deps, { unit, before }).catch(({ code }: { code?: string }) => code);
        if (typeof board !== 'object') {
          expect(board).to.equal(unit === 'season' ? 'SEASON_NOT_FOUND' : 'INVALID_QUERY');
          break;
        }
        const { start, end, leaderboard } = board;
        boards.add(start.getTime());
        const expected = agents
          .map((wallet) => {
            const [from, to] = [stateOf(wallet, start), stateOf(wallet, end)];
            const change = (name: 'total' | 'realized' | 'unrealized' | 'feesEarned') => to[name] - from[name];
            return {
              wallet,
              total: change('total'),
              realized: change('realized'),
              unrealized: change('unrealized'),
              feesEarned: change('feesEarned'),
              trades: to.trades - from.trades,
            };
          })
          .filter(({ total, trades }) => total !== 0n || trades > 0)
          .sort((a, b) => (a.total === b.total ? (a.wallet < b.wallet ? -1 : 1) : a.total > b.total ? -1 : 1));
        expect(leaderboard.length).to.be.at.most(LEADERS);
        expect(leaderboard.map(({ rank, name, agentId, ...row }) => row)).to.deep.equal(expected);
        expect(leaderboard.map(({ rank }) => rank)).to.deep.equal(expected.map((_, rank) => rank + 1));
        before = start;
      }
      expect(boards.size, unit).to.be.at.least(unit === 'all' ? 1 : 2);
    }
  });

  it('a wallet that never traded has no profits', async () => {
    for (const unit of units) expect(await pnlPeriods(deps, `0x${'9'.repeat(40)}`, { unit, limit: 10 })).to.deep.equal([]);
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
          (await candlesOf(deps, agent, { interval, before, limit })).map(({ wallet, time, ...row }) => ({
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
      { until: START },
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

describe('the example in docs/pnl.md', () => {
  const world = useWorld();

  it('has the figures that the service computes', async () => {
    const day = (lines: readonly string[], number: number) => lines.map((line) => line.replace(/^/, `${number * 1440 + 600} `));
    const lines = [...day(['Bob opens', 'Ada buys 2 Bob'], 0), ...day(['Cy buys 3 Bob'], 1), ...day(['Ada sells 1 Bob'], 2)];
    const history = scripted(lines, 2 * 1440 + 700);
    const chain = historyChain(() => chainOf(history), world.deps.chain);
    const deps = { ...world.deps, chain, clock: { now: () => history.end } };
    await emptyIndex(deps);
    expect(await catchUp(deps, chainOf(history).head)).to.equal(true);
    const ada = walletOf('Ada');
    const [days, all] = [
      await pnlPeriods(deps, ada, { unit: 'day', limit: 9 }),
      await pnlPeriods(deps, ada, { unit: 'all', limit: 1 }),
    ];
    const sign = (wei: bigint) => (wei > 0n ? `+${formatEth(wei)}` : formatEth(wei).replace('-', '−'));
    const shown = [...days, ...all].map(({ realized, unrealized, feesEarned, total }) =>
      [realized, unrealized, feesEarned, total].map(sign),
    );
    const page = readFileSync(join(root, 'docs', 'pnl.md'), 'utf8');
    const rows = [...page.matchAll(/^\| (?:\d|All) \|[^|]*\| (.*) \| (.*) \| (.*) \| (.*) \|$/gm)].map(([, ...cells]) => cells);
    expect(rows).to.deep.equal(shown);
    expect(days[0]?.maxDrawdown).to.equal(20_000_000_000_000n);
  });
});

const keyOf = ({ txHash, ordinal }: { readonly txHash: string; readonly ordinal: number }): string => `${txHash} ${ordinal}`;
