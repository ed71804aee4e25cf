import type { Deps } from '../../../deps.js';
import { AppError } from '../../../errors/errors.js';
import { curvePriceSql } from '../../../values/curve.js';
import { feeSplitsAt, type PnlFigures } from './periods.js';
import { type Period, type PeriodUnit, periodsIn, timeOfMarket } from './spans.js';

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
 * What each wallet gained in a period. `$1` and `$2` are its start and the fee rate then, `$3` and `$4` those of its end. It goes back
 * from the present by the trades since the start. With equal rates, only positions in markets with such trades have another value.
 */
const IN_PERIOD = `
  with since as (
    select trader, agent, block_number, log_index, agent_fee, realized_pnl, supply_after,
      case when realized_pnl is null then -price else price end - protocol_fee - agent_fee as received,
      case when realized_pnl is null then amount else -amount end as tickets, block_time >= $3::timestamptz as is_later
    from transaction where block_time >= $1::timestamptz
  ),
  start_supply as (
    select distinct on (agent) agent, supply_after - tickets as supply from since order by agent, block_number, log_index
  ),
  end_supply as (
    select distinct on (agent) agent, supply_after - tickets as supply from since where is_later
    order by agent, block_number, log_index
  ),
  own as (
    select trader as wallet, agent, coalesce(sum(tickets) filter (where is_later), 0)::int as later,
      coalesce(sum(tickets) filter (where not is_later), 0)::int as tickets,
      count(*) filter (where not is_later)::int as trades, coalesce(sum(realized_pnl) filter (where not is_later), 0) as realized,
      coalesce(sum(received) filter (where not is_later), 0) as received
    from since group by trader, agent
  ),
  held as (
    select holder as wallet, agent, amount from ticket_holding
    where $2::int <> $4::int or agent in (select agent from start_supply)
  ),
  positions as (
    select wallet, coalesce(amount, 0) - coalesce(later, 0) as amount, coalesce(tickets, 0) as tickets,
      coalesce(end_supply.supply, market.supply) as end_supply, coalesce(start_supply.supply, market.supply) as start_supply,
      coalesce(received, 0) as received, coalesce(realized, 0) as realized, coalesce(trades, 0) as trades
    from held full join own using (wallet, agent) join (select wallet as agent, supply from market) market using (agent)
      left join start_supply using (agent) left join end_supply using (agent)
  ),
  parts as (
    select wallet, received + ${payoutSql('amount', 'end_supply', '$4::int')} - ${payoutSql('amount - tickets', 'start_supply', '$2::int')}
      as total, 0::numeric as earned, realized, trades from positions
    union all select agent, sum(agent_fee), sum(agent_fee), 0, 0 from since where not is_later group by agent
  )
  select wallet, sum(total) as total, sum(earned) as earned, sum(realized) as realized, sum(trades)::int as trades
  from parts group by wallet`;

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

/** The period that runs, or the last season if none runs. `previous`: the one before it. Older ones would need all trades since then. */
export type LeaderboardRequest = { readonly unit: PeriodUnit; readonly previous: boolean };

/** The agents that gained most in a period. */
export async function pnlLeaderboard(deps: Deps, { unit, previous }: LeaderboardRequest): Promise<PnlLeaderboardRow> {
  const [now, [begun]] = await Promise.all([
    timeOfMarket(deps),
    deps.sql<{ first: Date }>('select block_time as first from transaction order by block_number limit 1'),
  ]);
  const periods = await periodsIn(deps.sql, { first: begun?.first ?? now, now }, { unit, limit: 2 });
  const period = periods.at(previous ? -2 : -1);
  if (period === undefined) {
    if (unit === 'season') throw new AppError('SEASON_NOT_FOUND');
    throw new AppError('INVALID_QUERY', { field: 'previous', expected: 'false, because no such period has ended' });
  }
  const { start, end } = period;
  const leaderboard = await deps.caches.pnlLeaderboards.get(`${start.toISOString()} ${end.toISOString()}`, async () => {
    const splits = await feeSplitsAt(deps, [start, end], now);
    const [from, to] = splits.map(({ protocolBps, agentBps }) => Number(protocolBps + agentBps));
    if (unit === 'all') return deps.sql<PnlStandingRow>(ranked(IN_ALL), [to]);
    return deps.sql<PnlStandingRow>(ranked(IN_PERIOD), [start, from, end, to]);
  });
  return { ...period, leaderboard };
}
