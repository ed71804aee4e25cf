import type { Deps } from '../../../deps.js';
import type { Wei } from '../../../money.js';
import { unitPrice } from '../../pricing/rules.js';
import { type Activity, priceChange, rankByTrend } from '../trend.js';
import { dayBefore } from './cards.js';

export type Trend = Activity & {
  readonly name: string;
  readonly agentId: string;
  readonly avatarUrl: string | null;
  readonly isClaimed: boolean;
  readonly supply: number;
  readonly holderCount: number;
  readonly ticketPrice: Wei;
  readonly trendScore: number;
};

type Row = Omit<Trend, 'priceChange24h' | 'ticketPrice' | 'trendScore'> & { readonly supplyBefore: number };

/**
 * A wallet whose balance rose from 0 in the last 24 hours bought in that time, or is the agent itself, which has its
 * first ticket from its registration: only these are looked up, not every holder.
 */
const ACTIVITY = `
  with trades as materialized (
    select agent, trader, count(*) as trades, sum(price) as volume, max(block_time) as last
    from transaction where block_time > $1 group by agent, trader
  ),
  active as (
    select t.agent, sum(t.trades)::int8 as trades, sum(t.volume) as volume, count(*) as traders, max(t.last) as last
    from trades t group by t.agent
  ),
  newcomers as (
    select h.agent, count(*) as holders
    from (select agent, trader as holder from trades union select agent, agent from active) as acted
    join ticket_holding h on h.agent = acted.agent and h.holder = acted.holder
    where h.since > $1 group by h.agent
  )
  select a.wallet, a.name, a.agent_id as "agentId", a.avatar_url as "avatarUrl", a.claimed_at is not null as "isClaimed",
    m.supply, m.holder_count as "holderCount", active.volume, active.trades as "txCount",
    active.traders as "uniqueTraders", active.last as "lastTradeAt", coalesce(newcomers.holders, 0) as "newHolders24h",
    coalesce(before.supply, 1) as "supplyBefore"
  from active join agent a on a.wallet = active.agent join market m on m.wallet = active.agent
  left join newcomers on newcomers.agent = active.agent
  left join lateral (
    select t.supply_after as supply from transaction t where t.agent = active.agent and t.block_time <= $1
    order by t.block_time desc, t.block_number desc, t.log_index desc limit 1
  ) before on true`;

/** The agents of this service in whose tickets somebody traded in the last 24 hours, the highest score first. */
export async function trending(deps: Deps, limit: number): Promise<{ trends: Trend[]; total: number; at: Date }> {
  const at = deps.clock.now();
  const rows = await deps.sql<Row>(ACTIVITY, [dayBefore(deps)]);
  const candidates = rows.map(({ supplyBefore, ...row }) => ({
    ...row,
    priceChange24h: priceChange(supplyBefore, row.supply),
    ticketPrice: unitPrice(BigInt(row.supply)),
  }));
  return { trends: rankByTrend(candidates, at).slice(0, limit), total: candidates.length, at };
}
