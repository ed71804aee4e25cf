import type { Deps } from '../../../deps.js';
import { AppError } from '../../../errors/errors.js';
import { curvePriceSql } from '../../../values/curve.js';
import { feeSplitsAt, type PnlFigures } from './periods.js';
import { type Period, type PeriodRequest, periodsIn, timeOfMarket } from './spans.js';

/** What an agent gained in a period. The highest total has rank 1. */
export type PnlStandingRow = PnlFigures & {
  readonly rank: number;
  readonly wallet: string;
  readonly name: string;
  readonly agentId: string;
};
export type PnlLeaderboardRow = Period & { readonly leaderboard: readonly PnlStandingRow[] };

/** Maximum number of agents on a leaderboard. */
export const LEADERS = 100;

/** The payout of selling all tickets of a position, or as many as the contract buys. `rate` is that of both fees, in basis points. */
const payoutSql = (amount: string, supply: string, rate: string): string => {
  const sellable = `least(${amount}, ${supply} - 1)`;
  return `div(${curvePriceSql(`${supply} - ${sellable}`, sellable)} * (10000 - ${rate}), 10000)`;
};

/**
 * What each wallet gained from a time until now. `rate` is the fee rate at that time, and `$1` the present one. With equal rates, only
 * positions in markets with a trade since then have another value.
 */
const gainsSince = (time: string, rate: string): string => `
  with since as (
    select trader, agent, block_number, log_index, price, protocol_fee, agent_fee, realized_pnl, supply_after,
      case when realized_pnl is null then amount else -amount end as tickets
    from transaction where block_time >= ${time}
  ),
  traded as (
    select distinct on (agent) agent, supply_after - tickets as supply from since order by agent, block_number, log_index
  ),
  own as (
    select trader as wallet, agent, sum(tickets)::int as tickets, count(*)::int as trades, coalesce(sum(realized_pnl), 0) as realized,
      sum(case when realized_pnl is null then -price else price end - protocol_fee - agent_fee) as received
    from since group by trader, agent
  ),
  held as (
    select holder as wallet, agent, amount from ticket_holding where ${rate} <> $1::int or agent in (select agent from traded)
  ),
  changes as (
    select wallet, coalesce(received, 0) + ${payoutSql('coalesce(amount, 0)', 'market.supply', '$1::int')}
        - ${payoutSql('coalesce(amount, 0) - coalesce(tickets, 0)', 'coalesce(traded.supply, market.supply)', rate)} as total,
      0::numeric as earned, coalesce(realized, 0) as realized, coalesce(trades, 0) as trades
    from held full join own using (wallet, agent) join (select wallet as agent, supply from market) market using (agent)
      left join traded using (agent)
    union all
    select agent, sum(agent_fee), sum(agent_fee), 0, 0 from since group by agent
  )
  select wallet, sum(total) as total, sum(earned) as earned, sum(realized) as realized, sum(trades)::int as trades
  from changes group by wallet`;

/** What each wallet gained in a period. `$2` and `$3` are its start and the fee rate then, `$4` and `$5` those of its end. */
const IN_PERIOD = `
  select wallet, a.total - coalesce(b.total, 0) as total, a.earned - coalesce(b.earned, 0) as earned,
    a.realized - coalesce(b.realized, 0) as realized, a.trades - coalesce(b.trades, 0) as trades
  from (${gainsSince('$2::timestamptz', '$3::int')}) a left join (${gainsSince('$4::timestamptz', '$5::int')}) b using (wallet)`;

/** What each wallet gained in the whole time, from running totals, so that it does not read the history. */
const IN_ALL = `
  select wallet, sum(total) as total, sum(earned) as earned, sum(realized) as realized, sum(trades)::int as trades
  from (
    select holder as wallet, ${payoutSql('amount', 'supply', '$1::int')} - cost as total, 0 as earned, 0 as realized, 0 as trades
      from ticket_holding join market on market.wallet = agent
    union all select wallet, realized, 0, realized, trade_count from wallet_ledger
    union all select wallet, fees_earned, fees_earned, 0, 0 from market
  ) parts group by wallet`;

const ranked = (gains: string): string => `
  select row_number() over (order by total desc, wallet)::int as rank, wallet, agent.name, agent.agent_id as "agentId", total, realized,
    total - realized - earned as unrealized, earned as "feesEarned", trades
  from (${gains}) gains join agent using (wallet) where trades > 0 or total <> 0 order by total desc, wallet limit ${LEADERS}`;

/** The agents that gained most in the newest period that starts before a time. */
export async function pnlLeaderboard(deps: Deps, request: Omit<PeriodRequest, 'limit'>): Promise<PnlLeaderboardRow> {
  const now = await timeOfMarket(deps);
  const [begun] = await deps.sql<{ first: Date }>('select block_time as first from transaction order by block_number limit 1');
  const [period] = await periodsIn(deps.sql, { first: begun?.first ?? now, now }, { ...request, limit: 1 });
  if (period === undefined) {
    if (request.unit === 'season') throw new AppError('SEASON_NOT_FOUND');
    throw new AppError('INVALID_QUERY', { field: 'before', expected: 'a time after the first trade' });
  }
  const { start, end } = period;
  const leaderboard = await deps.caches.pnlLeaderboards.get(`${start.toISOString()} ${end.toISOString()}`, async () => {
    const splits = await feeSplitsAt(deps, [start, end, new Date(now.getTime() + 1)], now);
    const [from, to, present] = splits.map(({ protocolBps, agentBps }) => Number(protocolBps + agentBps));
    if (request.unit === 'all') return deps.sql<PnlStandingRow>(ranked(IN_ALL), [present]);
    return deps.sql<PnlStandingRow>(ranked(IN_PERIOD), [present, start, from, end, to]);
  });
  return { ...period, leaderboard };
}
