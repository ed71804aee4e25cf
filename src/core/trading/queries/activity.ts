import type { Deps } from '../../../deps.js';
import type { Wei } from '../../../money.js';
import { dayBefore } from '../../agents/queries/agent-row.js';
import { type Activity, priceChange, rankByTrend } from '../trend.js';

/** Trading of one agent in the last 24 hours. Agents without trades are no candidates. */
export type Candidate = Activity & { readonly supply: number };
export type Ranked = Candidate & { readonly trendScore: number };
export type Day = {
  readonly at: Date;
  /** The agents by trend score, highest score first. */
  readonly ranked: readonly Ranked[];
  /** The agents by volume, highest volume first. Agents with equal volume are sorted by wallet, highest first. */
  readonly byVolume: readonly { readonly wallet: string; readonly volume: Wei }[];
  /** The wallets of `byVolume`, comma-separated: the fastest way to pass many values to a statement. */
  readonly wallets: string;
};

/** The figures of the candidates. `supplyBefore` is the supply before the first trade of the 24 hours. */
const CANDIDATES = `
  with day as (
    select agent, count(*) as trades, sum(price) as volume, count(distinct trader) as traders, max(block_time) as last,
      (array_agg(supply_after + case when type in ('SELL', 'AGENT_SELL') then amount else -amount end
        order by block_number, log_index))[1] as supply_before
    from transaction where block_time > $1 group by agent
  ),
  newcomers as (select agent, count(*) as holders from ticket_holding where since > $1 group by agent)
  select day.agent as wallet, l.supply, day.volume, day.trades as "txCount", day.traders as "uniqueTraders",
    day.last as "lastTradeAt", coalesce(newcomers.holders, 0) as "newHolders24h", day.supply_before as "supplyBefore"
  from day join listing l on l.wallet = day.agent and l.created_at is not null and l.supply is not null
  left join newcomers on newcomers.agent = day.agent`;

/** Cached figures of the last 24 hours of all agents, computed at the time `at`. */
export const dayOf = (deps: Deps): Promise<Day> =>
  deps.caches.dailyActivity.get(
    '',
    () => readDay(deps),
    ({ ranked }) => ranked.length,
  );

async function readDay(deps: Deps): Promise<Day> {
  const at = deps.clock.now();
  const rows = await deps.sql<Omit<Candidate, 'priceChange24h'> & { readonly supplyBefore: number }>(CANDIDATES, [
    dayBefore(deps),
  ]);
  const candidates = rows.map(
    ({ supplyBefore, ...row }): Candidate => ({ ...row, priceChange24h: priceChange(supplyBefore, row.supply) }),
  );
  const ranked = rankByTrend(candidates, at);
  candidates.sort(byVolume);
  return { at, ranked, byVolume: candidates, wallets: candidates.map(({ wallet }) => wallet).join() };
}

const byVolume = (a: Candidate, b: Candidate): number =>
  a.volume === b.volume ? (a.wallet < b.wallet ? 1 : -1) : a.volume < b.volume ? 1 : -1;
