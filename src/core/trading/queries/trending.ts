import type { Deps } from '../../../deps.js';
import type { Wei } from '../../../money.js';
import { unitPrice } from '../../pricing/rules.js';
import { type Activity, priceChange, rankByTrend } from '../trend.js';
import { dayBefore } from './cards.js';

type Candidate = Activity & { readonly supply: number };
type Named = {
  readonly wallet: string;
  readonly name: string;
  readonly agentId: string;
  readonly avatarUrl: string | null;
  readonly isClaimed: boolean;
  readonly holderCount: number;
};
export type Trend = Candidate & Named & { readonly ticketPrice: Wei; readonly trendScore: number };

/** The price of a day ago is the one before the day's first trade. */
const CANDIDATES = `
  with day as (
    select agent, count(*) as trades, sum(price) as volume, count(distinct trader) as traders, max(block_time) as last,
      (array_agg(supply_after + case when type in ('SELL', 'AGENT_SELL') then amount else -amount end
        order by block_number, log_index))[1] as supply_before
    from transaction where block_time > $1 group by agent
  ),
  newcomers as (select agent, count(*) as holders from ticket_holding where since > $1 group by agent)
  select day.agent as wallet, m.supply, day.volume, day.trades as "txCount", day.traders as "uniqueTraders",
    day.last as "lastTradeAt", coalesce(newcomers.holders, 0) as "newHolders24h", day.supply_before as "supplyBefore"
  from day join agent a on a.wallet = day.agent join market m on m.wallet = day.agent
  left join newcomers on newcomers.agent = day.agent`;

const NAMES = `
  select a.wallet, a.name, a.agent_id as "agentId", a.avatar_url as "avatarUrl", a.claimed_at is not null as "isClaimed",
    m.holder_count as "holderCount"
  from agent a join market m on m.wallet = a.wallet where a.wallet = any($1::text[])`;

/** The agents of this service in whose tickets somebody traded in the last 24 hours, the highest score first. */
export async function trending(deps: Deps, limit: number): Promise<{ trends: Trend[]; total: number; at: Date }> {
  const at = deps.clock.now();
  const rows = await deps.sql<Omit<Candidate, 'priceChange24h'> & { readonly supplyBefore: number }>(CANDIDATES, [
    dayBefore(deps),
  ]);
  const candidates = rows.map(({ supplyBefore, ...row }): Candidate => {
    return { ...row, priceChange24h: priceChange(supplyBefore, row.supply) };
  });
  const top = rankByTrend(candidates, at).slice(0, limit);
  // Only the few that are shown are looked up whole.
  const named = await deps.sql<Named>(NAMES, [top.map(({ wallet }) => wallet)]);
  const byWallet = new Map(named.map((agent) => [agent.wallet, agent]));
  const trends = top.flatMap((candidate) => {
    const agent = byWallet.get(candidate.wallet);
    return agent ? [{ ...candidate, ...agent, ticketPrice: unitPrice(BigInt(candidate.supply)) }] : [];
  });
  return { trends, total: candidates.length, at };
}
