import type { Deps } from '../../src/deps.js';
import { type LeaderboardRequest, pnlLeaderboard } from '../../src/features/trading/periods/leaderboard.js';
import { pnlPeriods } from '../../src/features/trading/periods/periods.js';
import type { PeriodRequest } from '../../src/features/trading/periods/spans.js';
import { cloneData, dropDatabase } from '../dataset/databases.js';
import { walletOf } from '../dataset/people.js';
import { heavyAgent, LIGHT_TRADES, lightAgent, sizes } from '../dataset/plan.js';
import { median } from '../support/figures.js';
import { openDeps } from '../support/inprocess.js';
import type { Line, Options, Row } from '../support/result.js';

/** A wallet with a ticket in each of the busiest markets. */
const WIDE = `0x${'e'.repeat(40)}`;
const MARKETS = 500;

/** Gives the wide wallet a ticket in the busiest markets, bought before all other trades. Ends the index at the newest trade. */
async function prepare({ sql }: Deps): Promise<void> {
  await sql(
    `with busiest as (
       select wallet as agent, row_number() over (order by trade_count desc, wallet) as n from market order by 2 limit ${MARKETS}
     ), bought as (
       insert into transaction (tx_hash, ordinal, type, trader, agent, amount, price, protocol_fee, agent_fee, supply_after, block_number,
         log_index, block_time, event_id)
       select '0xee' || lpad(to_hex(n), 62, '0'), 0, 'BUY', '${WIDE}', agent, 1, 20000000000000, 1000000000000, 1000000000000, 2, 0, n,
         (select min(block_time) - interval '1 hour' from transaction), 'e' || lpad(n::text, 21, '0')
       from busiest
     )
     insert into ticket_holding (agent, holder, amount, cost, since)
     select agent, '${WIDE}', 1, 22000000000000, now() from busiest`,
  );
  await sql('update indexer_cursor set block_time = (select max(block_time) from transaction)');
  await sql('vacuum analyze');
}

async function timeOf(rounds: number, work: () => Promise<unknown>): Promise<number> {
  const taken: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const began = performance.now();
    await work();
    if (round > 0) taken.push(performance.now() - began);
  }
  return median(taken);
}

export const profits: Row = {
  name: 'profits',
  title: 'profits by period of a usual wallet, of a busy one and of one in 500 markets, and their leaderboards',
  // The data of `--quick` has no agent with enough trades.
  needsAllData: true,
  async measure({ server, rounds, say }: Options): Promise<Omit<Line, 'row'>[]> {
    const { url, name } = await cloneData(server, 'small', say);
    const { deps: opened, stop } = await openDeps(url);
    try {
      await prepare(opened);
      const [newest] = await opened.sql<{ time: Date }>('select block_time as time from indexer_cursor');
      const uncached = { get: (_key: string, load: () => Promise<unknown>) => load() } as never;
      const caches = { ...opened.caches, pnlLeaderboards: uncached };
      const deps: Deps = { ...opened, caches, clock: { now: () => newest?.time ?? new Date() } };
      const periods = async (who: string, wallet: string, request: PeriodRequest, most: number) => {
        const taken = await timeOf(rounds, () => pnlPeriods(deps, wallet, request));
        return line(`Profits of ${who}`, taken, most);
      };
      const board = async (request: LeaderboardRequest, most: number) => {
        const taken = await timeOf(rounds, () => pnlLeaderboard(deps, request));
        return line(`Leaderboard by profit of the ${request.previous ? 'previous' : 'running'} ${request.unit}`, taken, most);
      };
      const days: PeriodRequest = { unit: 'day', limit: 30 };
      const { heavyTrades } = sizes.small;
      return [
        await periods(`a wallet with ${LIGHT_TRADES} trades, 30 days`, walletOf(lightAgent(sizes.small)), days, 50),
        await periods(
          `a wallet with ${heavyTrades.toLocaleString('en')} trades, 30 days`,
          walletOf(heavyAgent(sizes.small)),
          days,
          500,
        ),
        await periods(`a wallet in ${MARKETS} markets, all time`, WIDE, { unit: 'all', limit: 1 }, 600),
        await board({ unit: 'week', previous: false }, 1000),
        await board({ unit: 'month', previous: true }, 3000),
        await board({ unit: 'all', previous: false }, 500),
      ];
    } finally {
      await stop();
      await dropDatabase(server, name);
    }
  },
};

const line = (work: string, taken: number, most: number): Omit<Line, 'row'> => ({
  work,
  against: 'absolute',
  product: `${taken.toFixed(1)} ms`,
  peer: '',
  value: taken,
  target: { at: 'most', value: most, unit: 'ms' },
  note: 'in process, without cache',
});
