import type { Deps } from '../../deps.js';
import { priceChange } from '../../values/curve.js';
import type { Wei } from '../../values/money.js';
import { DAY_MS } from '../../values/time.js';

/** Trading in the tickets of one agent in the last 24 hours. */
export type Activity = {
  readonly wallet: string;
  readonly supply: number;
  readonly volume: Wei;
  readonly txCount: number;
  readonly uniqueTraders: number;
  /** Change of the ticket price, in percent. */
  readonly priceChange24h: number;
  readonly lastTradeAt: Date;
  readonly newHolders24h: number;
};
export type Ranked = Activity & { readonly trendScore: number };

/**
 * The sort keys of agents that come from the trading of the last 24 hours. Each function returns an integer, so that a cursor
 * contains the exact value.
 */
const figures = {
  volume: ({ volume }: Activity): Wei => volume,
  /** In hundredths of a percent, which is the precision of `priceChange24h` in answers. */
  priceChange24h: ({ priceChange24h }: Activity): bigint => BigInt(Math.round(priceChange24h * 100)),
};
export type DaySort = keyof typeof figures;

/** An agent in a sorted list, with the figure by which the list is sorted. */
export type RankedWallet = { readonly wallet: string; readonly figure: bigint };
/** A list of the agents whose figure is not 0, highest figure first. */
export type Order = {
  readonly places: readonly RankedWallet[];
  /** The wallets of all `places`, separated by commas. One long text is the fastest way to pass many values to an SQL statement. */
  readonly wallets: string;
};

/** Figures of the last 24 hours, computed at the time `at`. */
type Day = {
  readonly at: Date;
  /** The agents whose tickets were traded, by wallet. */
  readonly traded: ReadonlyMap<string, Activity>;
  /** The same agents, highest trend score first. */
  readonly ranked: readonly Ranked[];
  readonly orders: Readonly<Record<DaySort, Order>>;
};

export const dayBefore = ({ clock }: Pick<Deps, 'clock'>): Date => new Date(clock.now().getTime() - DAY_MS);

/**
 * The agents of this service whose tickets were traded after the time `$1`. `supply_before` is the supply after the first of these
 * trades, with this trade undone.
 */
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

/**
 * Reads the figures of the last 24 hours through the cache `dailyActivity`. The number of trades determines how long they stay
 * there.
 */
export const dayOf = (deps: Deps): Promise<Day> =>
  deps.caches.dailyActivity.get(
    '',
    () => readDay(deps),
    ({ ranked }) => ranked.reduce((trades, { txCount }) => trades + txCount, 0),
  );

async function readDay(deps: Deps): Promise<Day> {
  const at = deps.clock.now();
  // `supplyBefore` is the supply before the first trade of the 24 hours.
  const rows = await deps.sql<Omit<Activity, 'priceChange24h'> & { readonly supplyBefore: number }>(CANDIDATES, [dayBefore(deps)]);
  const candidates = rows.map(
    ({ supplyBefore, ...row }): Activity => ({ ...row, priceChange24h: priceChange(supplyBefore, row.supply) }),
  );
  const traded = new Map(candidates.map((candidate) => [candidate.wallet, candidate]));
  const orders = { volume: orderBy('volume', candidates), priceChange24h: orderBy('priceChange24h', candidates) };
  return { at, traded, ranked: rankByTrend(candidates, at), orders };
}

function orderBy(sort: DaySort, candidates: readonly Activity[]): Order {
  const figureOf = figures[sort];
  const places = candidates
    .map((candidate): RankedWallet => ({ wallet: candidate.wallet, figure: figureOf(candidate) }))
    .filter(({ figure }) => figure !== 0n)
    .sort((a, b) => (isHigher(a, b) ? -1 : 1));
  return { places, wallets: places.map(({ wallet }) => wallet).join() };
}

/**
 * Whether `a` stands above `b` in a list with the highest figure first. If the figures are equal, the higher wallet address stands
 * above.
 */
export const isHigher = (a: RankedWallet, b: RankedWallet): boolean =>
  a.figure === b.figure ? a.wallet > b.wallet : a.figure > b.figure;

/** Components of the trend score with their weights, which sum up to 100. */
const parts: readonly (readonly [weight: number, part: (activity: Activity, now: Date) => number])[] = [
  [30, ({ volume }) => Number(volume)],
  [25, ({ uniqueTraders }) => uniqueTraders],
  [20, ({ priceChange24h }) => Math.max(0, priceChange24h)],
  [15, ({ lastTradeAt }, now) => recency(lastTradeAt, now)],
  [10, ({ newHolders24h }) => newHolders24h],
];

/**
 * How recent a trade is: 1 for a trade now, falling linearly to 0 for a trade 24 hours ago. A block time slightly in the future
 * counts as now.
 */
function recency(lastTradeAt: Date, now: Date): number {
  const age = now.getTime() - lastTradeAt.getTime();
  return Math.min(1, Math.max(0, 1 - age / DAY_MS));
}

/**
 * Scores the candidates relative to each other, best first. Each component is scaled to its maximum among the candidates. A
 * component that is 0 for all of them adds nothing. Equal scores are ordered by number of trades, then by address.
 */
export function rankByTrend(candidates: readonly Activity[], now: Date): Ranked[] {
  const highest = parts.map(([, part]) => candidates.reduce((most, candidate) => Math.max(most, part(candidate, now)), 0));
  const scoreOf = (candidate: Activity): number =>
    parts.reduce((sum, [weight, part], i) => {
      const most = highest[i] ?? 0;
      return most === 0 ? sum : sum + (weight * part(candidate, now)) / most;
    }, 0);
  return candidates
    .map((candidate) => ({ ...candidate, trendScore: Math.round(scoreOf(candidate)) }))
    .sort((a, b) => b.trendScore - a.trendScore || b.txCount - a.txCount || (a.wallet < b.wallet ? -1 : 1));
}
