import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Registered, Traded } from '../../../../src/chain/logs/facts.js';
import { pnlLeaderboard } from '../../../../src/features/trading/periods/leaderboard.js';
import { type PnlPeriodRow, pnlPeriods } from '../../../../src/features/trading/periods/periods.js';
import { boundsOf, type PeriodUnit } from '../../../../src/features/trading/periods/spans.js';
import { pnlSummariesOf } from '../../../../src/features/trading/pnl.js';
import { formatEth } from '../../../../src/values/money.js';
import { DAY_MS } from '../../../../src/values/time.js';
import { marketOf, randomHistory } from '../../../support/profits/market.js';
import { root } from '../../../support/service/process.js';
import { runSql } from '../../../support/store.js';
import { scripted, walletOf } from '../../../support/theses/call-history.js';
import { useWorld } from '../../../support/world.js';

const units: readonly PeriodUnit[] = ['day', 'week', 'month', 'season', 'all'];
type Market = Awaited<ReturnType<typeof marketOf>>;

describe('profits in a random market over five weeks', () => {
  const world = useWorld();
  let market: Market;

  beforeEach(async () => {
    market = await marketOf(world, randomHistory());
    // The second season starts when it likes, and runs. The third is still to come.
    await runSql(
      market.deps,
      `insert into season (number, start_at, end_at) values (1, '2026-08-01', '2026-09-01'), (2, '2026-09-01T05:17:03Z', '2026-10-01'),
       (3, '2026-10-01', '2027-01-01')`,
      [],
    );
  });

  for (const unit of units) {
    it(`are what the facts say, by ${unit}`, async () => {
      // Days have 24 points each, so their comparison takes long.
      for (const wallet of unit === 'day' ? market.wallets.slice(0, 3) : market.wallets) {
        expect(await market.checkPeriods(wallet, unit)).not.to.have.length(0);
      }
    });
  }

  it('begin at midnight, on Mondays, on the first of the month and with their seasons', async () => {
    const startsOf = async (unit: PeriodUnit) =>
      (await pnlPeriods(market.deps, market.wallets[0] ?? '', { unit, limit: 100 })).map(({ start }) => start);
    for (const start of await startsOf('day')) expect(start.getTime() % DAY_MS).to.equal(0);
    for (const start of await startsOf('week')) expect([start.getUTCDay(), start.getTime() % DAY_MS]).to.deep.equal([1, 0]);
    for (const start of await startsOf('month')) expect([start.getUTCDate(), start.getTime() % DAY_MS]).to.deep.equal([1, 0]);
    expect((await startsOf('season')).map((start) => start.toISOString())).to.deep.equal([
      '2026-08-01T00:00:00.000Z',
      '2026-09-01T05:17:03.000Z',
    ]);
    expect(await startsOf('all')).to.have.length(1);
  });

  it('add up to the wei: days to weeks and months, all of them to the whole time, and that to the summary', async () => {
    const { deps, wallets } = market;
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

  it('come page by page without a gap', async () => {
    const { deps, now } = market;
    const [wallet = ''] = market.wallets;
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

  it('rank the agents of this service, in the running period and in the one before it', async () => {
    const agents = market.wallets.slice(0, 7);
    await market.addAgents(agents);
    for (const unit of units) {
      await market.checkLeaderboard(agents, unit, false);
      if (unit !== 'all') await market.checkLeaderboard(agents, unit, true);
    }
    const none = await pnlLeaderboard(market.deps, { unit: 'all', previous: true }).catch(({ code }: { code: string }) => code);
    expect(none).to.equal('INVALID_QUERY');
  });

  it('of a wallet that never traded are none', async () => {
    for (const unit of units) {
      expect(await pnlPeriods(market.deps, `0x${'9'.repeat(40)}`, { unit, limit: 10 })).to.deep.equal([]);
    }
  });
});

describe('the capital of a period', () => {
  const world = useWorld();

  it('has what the wallet held before, and counts ether once that comes back and goes out again', async () => {
    const lines = ['600 Bob opens', '610 Cy opens', '620 Ada buys 20 Bob', '630 Ada buys 5 Bob'];
    lines.push('1500 Eve buys 20 Cy', '1510 Ada sells 10 Bob', '1530 Eve sells 20 Cy', '1700 Eve buys 20 Cy');
    lines.push('1800 Ada buys 5 Bob', '2900 Ada buys 5 Bob', '2910 Ada sells 5 Bob', '3100 Ada buys 5 Bob');
    const market = await marketOf(world, scripted(lines, 3200));
    for (const wallet of market.wallets) for (const unit of units) await market.checkPeriods(wallet, unit);
    const capitals = async (name: string) =>
      (await market.checkPeriods(walletOf(name), 'day')).map(({ capital }) => formatEth(capital));
    // Eve spends 0.06314 twice. Between, she gets 0.05166 back. On the third day, she only holds her tickets, which are worth that.
    expect(await capitals('Eve')).to.deep.equal(['0.07462', '0.05166']);
    // On the second day, Ada's purchase takes less than her sale paid before: only the value of her 25 tickets is at work. On the third
    // one, it is that of 20 tickets, 0.05166, and she spends 0.05841 twice. Between, she gets 0.04779 back.
    expect(await capitals('Ada')).to.deep.equal(['0.12155', '0.09945', '0.12069']);
  });
});

describe('profits at the edge of a day', () => {
  const world = useWorld();

  it('count a trade and new fee rates at midnight in the day that begins, also in markets that nobody trades', async () => {
    const lines = ['600 Bob opens', '610 Cy opens', '620 Ada buys 3 Bob', '630 Ada buys 2 Cy', '640 Cy buys 2 Bob'];
    lines.push('1440 Cy sells 2 Bob', '1500 Cy buys 2 Bob', '2880 Ada buys 1 Bob');
    // With so many trades, the supplies of the whole time are found point by point.
    for (let i = 0; i < 15; i++) lines.push(`${2890 + i} Dan buys 4 Bob`, `${2890 + i} Dan sells 4 Bob`);
    const { facts, ...history } = scripted(lines, 3000);
    // From the first midnight on, the protocol takes 4 instead of 5 %, and the agent from the second one on.
    const midnight = (days: number) => (facts[0] as Registered).time.getTime() - 600 * 60_000 + days * DAY_MS;
    const changed = facts.map((fact) => {
      if (fact.kind !== 'bought' && fact.kind !== 'sold') return fact;
      const protocolFee = fact.time.getTime() >= midnight(1) ? fact.price / 25n : fact.protocolFee;
      return { ...fact, protocolFee, agentFee: fact.time.getTime() >= midnight(2) ? fact.price / 25n : fact.agentFee };
    });
    const market = await marketOf(world, { ...history, facts: changed });
    for (const wallet of market.wallets) {
      expect(await market.checkPeriods(wallet, 'day')).not.to.have.length(0);
      for (const unit of ['week', 'all'] as const) expect(await market.checkPeriods(wallet, unit)).to.have.length(1);
      // The first point of this page is a midnight with a trade.
      await market.checkPeriods(wallet, 'day', { before: new Date(midnight(2)), limit: 1 });
    }
    await market.addAgents(market.wallets);
    for (const previous of [false, true]) await market.checkLeaderboard(market.wallets, 'day', previous);
  });

  it('use the rates of the last trade of a block', async () => {
    const lines = [
      '600 Bob opens',
      '620 Ada buys 3 Bob',
      '630 Cy buys 1 Bob',
      '640 Dan buys 1 Bob',
      '650 Eve buys 1 Bob',
      '1500 Ada buys 1 Bob',
    ];
    const { facts, ...history } = scripted(lines, 1600);
    const block = facts[2] as Traded;
    const { blockNumber, blockHash, time } = block;
    // Three trades in one block, of which each has other rates.
    const changed = facts.map((fact, i) =>
      i < 2 || i > 4 || fact.kind !== 'bought'
        ? fact
        : { ...fact, blockNumber, blockHash, time, logIndex: i, protocolFee: fact.price / ([40n, 50n, 80n][i - 2] ?? 1n) },
    );
    const market = await marketOf(world, { ...history, facts: changed });
    for (const wallet of market.wallets) expect(await market.checkPeriods(wallet, 'day')).to.have.length(2);
  });

  it('come from no more than the free ticket before the first trade, and are none without any fact', async () => {
    const market = await marketOf(world, scripted(['10 Bob opens'], 20));
    const [row, ...others] = await market.checkPeriods(walletOf('Bob'), 'day');
    expect([row?.total, row?.totalAtEnd, others.length]).to.deep.equal([0n, 0n, 0]);
    await market.addAgents([walletOf('Bob')]);
    for (const unit of ['day', 'all'] as const) await market.checkLeaderboard([], unit, false);
  });
});

it('the points of a period end at the present, also if a season ends in a thousand years', () => {
  const [start, now] = [new Date('2026-09-01T05:17:03Z'), new Date('2026-09-03T10:00:00Z')];
  const points = boundsOf('season', [{ start, end: new Date('3026-01-01T00:00:00Z'), season: 1 }], now);
  const days = ['2026-09-02T00:00:00.000Z', '2026-09-03T00:00:00.000Z'];
  expect(points.map((point) => point.toISOString())).to.deep.equal([
    '2026-09-01T05:17:03.000Z',
    ...days,
    '3026-01-01T00:00:00.000Z',
  ]);
});

describe('the example in docs/pnl.md', () => {
  const world = useWorld();

  it('has the figures that the service computes', async () => {
    const day = (lines: readonly string[], number: number) => lines.map((line) => line.replace(/^/, `${number * 1440 + 600} `));
    const lines = [...day(['Bob opens', 'Ada buys 2 Bob'], 0), ...day(['Cy buys 3 Bob'], 1), ...day(['Ada sells 1 Bob'], 2)];
    const history = scripted(lines, 2 * 1440 + 700);
    const market = await marketOf(world, history);
    const { deps } = market;
    const ada = walletOf('Ada');
    const [days, all] = [
      await pnlPeriods(deps, ada, { unit: 'day', limit: 9 }),
      await pnlPeriods(deps, ada, { unit: 'all', limit: 1 }),
    ];
    const sign = (wei: bigint) => (wei > 0n ? `+${formatEth(wei)}` : formatEth(wei).replace('-', '−'));
    const shown = [...days, ...all].map(({ realized, unrealized, feesEarned, total, capital }) => [
      ...[realized, unrealized, feesEarned, total].map(sign),
      formatEth(capital),
    ]);
    const page = readFileSync(join(root, 'docs', 'pnl.md'), 'utf8');
    const rows = [...page.matchAll(/^\| (?:\d|All) \|[^|]*\| (.*) \|$/gm)].map(([, cells]) => cells?.split(' | '));
    expect(rows).to.deep.equal(shown);
    expect(days[0]?.maxDrawdown).to.equal(20_000_000_000_000n);
    await market.addAgents(market.wallets);
    // A sale alone changes no total, and its seller is on the leaderboard all the same.
    const { leaderboard } = await pnlLeaderboard(deps, { unit: 'day', previous: false });
    expect(leaderboard.find(({ wallet }) => wallet === ada)).to.include({ total: 0n, trades: 1 });
  });
});
