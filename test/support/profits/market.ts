import { expect } from 'chai';
import type { Deps } from '../../../src/deps.js';
import { pnlLeaderboard } from '../../../src/features/trading/periods/leaderboard.js';
import { type PnlPeriodRow, pnlPeriods } from '../../../src/features/trading/periods/periods.js';
import type { PeriodRequest, PeriodUnit } from '../../../src/features/trading/periods/spans.js';
import { catchUp } from '../../../src/index/ingest.js';
import { DAY_MS, HOUR_MS } from '../../../src/values/time.js';
import { emptyIndex } from '../chain/indexed.js';
import { historyChain } from '../market/histories.js';
import { addAgent } from '../market/rows.js';
import { seeded } from '../seed.js';
import { type CallHistory, chainOf, historyMaker } from '../theses/call-history.js';
import type { World } from '../world.js';
import { mostSpentIn, type State, stateAt } from './oracle.js';

/** The fees of the contract of the tests, as a pair of fee and price. */
const CHARGED = [1n, 10n] as const;

/** A random market over five weeks, with nine wallets, five of which are agents. */
export const randomHistory = (): CallHistory =>
  historyMaker({
    random: seeded(62),
    wallets: 9,
    markets: 5,
    start: new Date('2026-08-20T10:30:00Z'),
    pause: (2 * HOUR_MS) / 1000,
    reasoned: 0,
  }).grow(900);

/** A service that has indexed a history. Its clock is a minute after the end, and it has the fees of the contract of the tests. */
export async function marketOf(world: World, history: CallHistory) {
  const now = new Date(history.end.getTime() + 60_000);
  const chain = historyChain(() => chainOf(history), world.deps.chain);
  const deps: Deps = { ...world.deps, chain, clock: { now: () => now } };
  await emptyIndex(deps);
  expect(await catchUp(deps, chainOf(history).head)).to.equal(true);
  const wallets = [...new Set(history.facts.flatMap((fact) => ('trader' in fact ? [fact.trader] : [fact.agent])))].sort();
  const stateOf = (wallet: string, time: Date): State => stateAt(history.facts, wallet, time, time > now ? CHARGED : undefined);

  function gained(wallet: string, { start, end }: { readonly start: Date; readonly end: Date }) {
    const [from, to] = [stateOf(wallet, start), stateOf(wallet, end)];
    return {
      total: to.total - from.total,
      realized: to.realized - from.realized,
      unrealized: to.unrealized - from.unrealized,
      feesEarned: to.feesEarned - from.feesEarned,
      trades: to.trades - from.trades,
      volume: to.volume - from.volume,
      feesPaid: to.feesPaid - from.feesPaid,
      totalAtEnd: to.total,
      valueAtEnd: to.value,
    };
  }

  /** The largest fall of the total between the full hours of a day, or the days of a longer period. */
  function fallIn(wallet: string, { start, end, unit }: PnlPeriodRow): bigint {
    const step = unit === 'day' ? HOUR_MS : DAY_MS;
    const times = [start.getTime()];
    for (let time = start.getTime() + 1; time < end.getTime(); time += step) times.push(Math.ceil(time / step) * step);
    const totals = [...times.filter((time) => time < end.getTime()), end.getTime()].map(
      (time) => stateOf(wallet, new Date(time)).total,
    );
    const falls = totals.flatMap((total, i) => totals.slice(0, i).map((before) => before - total));
    return falls.reduce((most, fall) => (fall > most ? fall : most), 0n);
  }

  return {
    deps,
    now,
    wallets,
    /** Compares the periods of a wallet with its facts. */
    async checkPeriods(
      wallet: string,
      unit: PeriodUnit,
      page: Omit<PeriodRequest, 'unit'> = { limit: 100 },
    ): Promise<PnlPeriodRow[]> {
      const rows = await pnlPeriods(deps, wallet, { unit, ...page });
      for (const row of rows) {
        expect(row).to.deep.include({ wallet, unit, ...gained(wallet, row) });
        expect(row.maxDrawdown).to.equal(fallIn(wallet, row));
        expect(row.capital).to.equal(stateOf(wallet, row.start).value + mostSpentIn(history.facts, wallet, row));
        expect(row.realized + row.unrealized >= -row.capital).to.equal(true);
      }
      return rows;
    },
    addAgents: async (agents: readonly string[]) => {
      for (const [i, wallet] of agents.entries()) await addAgent({ ...world, deps }, { wallet, name: `Agent ${i}` });
    },
    /** Compares the leaderboard of the running period or of the one before with the facts of the agents of the service. */
    async checkLeaderboard(agents: readonly string[], unit: PeriodUnit, previous: boolean): Promise<void> {
      const board = await pnlLeaderboard(deps, { unit, previous });
      const expected = agents
        .map((wallet) => {
          const { volume, feesPaid, totalAtEnd, valueAtEnd, ...figures } = gained(wallet, board);
          return { wallet, ...figures };
        })
        .filter(({ total, trades }) => total !== 0n || trades > 0)
        .sort((a, b) => (a.total === b.total ? (a.wallet < b.wallet ? -1 : 1) : a.total > b.total ? -1 : 1));
      expect(board.leaderboard.map(({ rank, name, agentId, ...row }) => row)).to.deep.equal(expected);
      expect(board.leaderboard.map(({ rank }) => rank)).to.deep.equal(expected.map((_, rank) => rank + 1));
      expect(board.end > now).to.equal(!previous);
    },
  };
}
