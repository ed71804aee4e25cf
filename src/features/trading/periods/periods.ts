import type { Deps } from '../../../deps.js';
import { type FeeSplit, fees, sellPrice } from '../../../values/curve.js';
import type { Wei } from '../../../values/money.js';
import { boundsOf, type Period, type PeriodRequest, type PeriodUnit, periodsIn, timeOfMarket } from './spans.js';

/** What a wallet gained and did in a period. `total` is exactly `realized` + `unrealized` + `feesEarned`. */
export type PnlFigures = {
  readonly total: Wei;
  readonly realized: Wei;
  /** Change of the profit or loss of the open positions. */
  readonly unrealized: Wei;
  readonly feesEarned: Wei;
  readonly trades: number;
};

export type PnlPeriodRow = Period &
  PnlFigures & {
    readonly wallet: string;
    readonly unit: PeriodUnit;
    /** Curve prices of the trades of the wallet, without fees. */
    readonly volume: Wei;
    readonly feesPaid: Wei;
    readonly maxDrawdown: Wei;
    /** Profit and loss since the first trade, and payout of selling all positions, both at the end of the period. */
    readonly totalAtEnd: Wei;
    readonly valueAtEnd: Wei;
    /** The most ether that was at work: the value at the start, and the most that purchases had taken above what sales paid. */
    readonly capital: Wei;
  };

/**
 * Sums over the trades before a time. `cost` is the FIFO cost of the positions. `volume`, `feesPaid` and `trades` count from any time,
 * since only their differences are used.
 */
type Sums = { realized: Wei; cost: Wei; feesEarned: Wei; volume: Wei; feesPaid: Wei; trades: number };
/** `peak` is the largest `spentBy` since the point before, that one included. */
type Point = Readonly<Sums> & { readonly time: number; readonly value: Wei; readonly total: Wei; readonly peak: Wei };

/**
 * What changed between the point before and this one. `supply` is that of the market at the point, or null if it did not change. `peak`
 * is the most that purchases since the point before had taken above what sales paid, after any trade in the market.
 */
type Change = Sums & {
  readonly peak: Wei;
  readonly point: number;
  readonly agent: string | null;
  readonly tickets: number;
  readonly supply: number | null;
};

/** The supply of each market of the wallet at each point: less work than `SUPPLY_BY_TRADE` if the markets have many trades. */
const SUPPLY_BY_POINT = `
  select bound.position::int - 1, held.agent, 0, found.supply_after, 0, 0, 0, 0, 0, 0, 0
  from held cross join unnest($2::timestamptz[]) with ordinality as bound (at, position) cross join lateral (
    select supply_after from transaction t where t.agent = held.agent and t.block_time < bound.at
    order by block_time desc, block_number desc, log_index desc limit 1
  ) found`;
/** The supply of each market of the wallet at the first point, and at each point after a trade. */
const SUPPLY_BY_TRADE = `
  select 0, held.agent, 0, before.supply_after, 0, 0, 0, 0, 0, 0, 0 from held cross join lateral (
    select supply_after from transaction t where t.agent = held.agent and t.block_time < ($2::timestamptz[])[1]
    order by block_time desc, block_number desc, log_index desc limit 1
  ) before
  union all
  select later.point, held.agent, 0, later.supply_after, 0, 0, 0, 0, 0, 0, 0 from held cross join lateral (
    select distinct on (point) width_bucket(block_time, $2::timestamptz[]) as point, supply_after
    from transaction t where t.agent = held.agent and t.block_time >= ($2::timestamptz[])[1]
    order by point, block_number desc, log_index desc
  ) later`;

/**
 * `$1` is the wallet, and `$2` the array of points. `width_bucket` finds the first point after a trade. The first point has the running
 * totals of the present less all trades after it, so that no older trades are read. Trades that come sorted by group need no hash table.
 */
const changesWith = (supplies: string): string => `
  with own as (
    select point, agent, max(spent) as peak,
      sum(case when realized_pnl is null then amount else -amount end)::int as tickets, count(*)::int as trades,
      sum(price) as volume, sum(protocol_fee + agent_fee) as "feesPaid", coalesce(sum(realized_pnl), 0) as realized,
      sum(coalesce(-cost_basis, price + protocol_fee + agent_fee)) as cost
    from (
      select *, sum(protocol_fee + agent_fee + case when realized_pnl is null then price else -price end)
        over (partition by point order by block_number, log_index rows unbounded preceding) as spent
      from transaction cross join lateral (select width_bucket(block_time, $2::timestamptz[]) as point) next
      where trader = $1 and block_number >= (
        select block_number from transaction where block_time >= ($2::timestamptz[])[1] order by block_time, block_number limit 1
      ) order by point, agent
    ) traded group by 1, 2
  ),
  earned as (
    select width_bucket(block_time, $2::timestamptz[]) as point, sum(agent_fee) as fees
    from transaction where agent = $1 and block_time >= ($2::timestamptz[])[1] group by 1
  ),
  held as (select agent from own union select agent from ticket_holding where holder = $1)
  select point, agent, tickets, null::bigint as supply, trades, volume, "feesPaid", realized, cost, 0::numeric as "feesEarned", peak
    from own
  union all
  select point, null, 0, null, 0, 0, 0, 0, 0, fees, 0 from earned
  union all
  select 0, agent, amount, null, 0, 0, 0, 0, cost, 0, 0 from ticket_holding where holder = $1
  union all
  select 0, null, 0, null, 0, 0, 0, realized, 0, 0, 0 from wallet_ledger where wallet = $1
  union all
  select 0, null, 0, null, 0, 0, 0, 0, 0, fees_earned, 0 from market where wallet = $1
  union all
  select 0, agent, -sum(tickets)::int, null, -sum(trades)::int, -sum(volume), -sum("feesPaid"), -sum(realized), -sum(cost), 0, 0
    from own group by agent
  union all
  select 0, null, 0, null, 0, 0, 0, 0, 0, -fees, 0 from earned
  union all ${supplies}`;

/** How many trades are read in the time that it takes to find one supply. */
const TRADES_PER_LOOKUP = 4;

/**
 * The newest periods of a wallet that start before a time, oldest first. One statement reads all trades, so that the figures contain
 * the same ones.
 */
export async function pnlPeriods(deps: Deps, wallet: string, request: PeriodRequest): Promise<PnlPeriodRow[]> {
  const [now, [begun]] = await Promise.all([
    timeOfMarket(deps),
    deps.sql<{ first: Date | null; markets: number; trades: number }>(
      `select least(
         (select registered_at from market where wallet = $1),
         (select block_time from transaction where trader = $1 order by block_number, log_index limit 1)
       ) as first, count(*)::int as markets, coalesce(sum(market.trade_count), 0) as trades
       from ticket_holding join market on market.wallet = agent where holder = $1`,
      [wallet],
    ),
  ]);
  if (!begun?.first) return [];
  const { unit } = request;
  const periods = await periodsIn(deps.sql, { first: begun.first, now }, request);
  const bounds = boundsOf(unit, periods, now);
  if (bounds.length === 0) return [];
  const times = bounds.map((bound) => bound.toISOString());
  const lookups = begun.markets * bounds.length;
  const changesSql = changesWith(lookups * TRADES_PER_LOOKUP < begun.trades ? SUPPLY_BY_POINT : SUPPLY_BY_TRADE);
  const [changes, splits] = await Promise.all([deps.sql<Change>(changesSql, [wallet, times]), feeSplitsAt(deps, bounds, now)]);
  const points = pointsOf(bounds, changes, splits);
  const indexOf = new Map(points.map(({ time }, i) => [time, i]));
  return periods.map((period) => {
    const [from, to] = [indexOf.get(period.start.getTime()) ?? 0, indexOf.get(period.end.getTime()) ?? 0];
    return { ...period, wallet, unit, ...figuresBetween(points.slice(from, to + 1)) };
  });
}

/**
 * The fee rates at each time: those of the newest trade before it. For a time that is still to come, they are the rates that the
 * contract charges now.
 */
export async function feeSplitsAt(deps: Deps, times: readonly Date[], now: Date): Promise<FeeSplit[]> {
  const [splits, present] = await Promise.all([
    deps.sql<FeeSplit>(
      `select coalesce("protocolBps", 0) as "protocolBps", coalesce("agentBps", 0) as "agentBps"
       from unnest($1::timestamptz[]) with ordinality as given (at, position) left join lateral (
         select div(protocol_fee * 10000, price) as "protocolBps", div(agent_fee * 10000, price) as "agentBps"
         from transaction where block_time < given.at order by block_time desc, block_number desc, log_index desc limit 1
       ) newest on true order by position`,
      [times.map((time) => time.toISOString())],
    ),
    deps.chain.feeSplit(),
  ]);
  return splits.map((split, i) => ((times[i] as Date) > now ? present : split));
}

type Held = { tickets: number; supply: number; price: Wei };

/** The state of a wallet at each time. */
function pointsOf(bounds: readonly Date[], changes: readonly Change[], splits: readonly FeeSplit[]): Point[] {
  const changesAt = Map.groupBy(changes, ({ point }) => point);
  const sums: Sums = { realized: 0n, cost: 0n, feesEarned: 0n, volume: 0n, feesPaid: 0n, trades: 0 };
  const held = new Map<string, Held>();
  /** Price on the curve of all tickets that can be sold. */
  let price = 0n;
  return bounds.map((bound, i) => {
    const spent = spentBy(sums);
    let peak = 0n;
    for (const { agent, tickets, supply, ...added } of changesAt.get(i) ?? []) {
      for (const name of ['realized', 'cost', 'feesEarned', 'volume', 'feesPaid'] as const) sums[name] += added[name];
      sums.trades += added.trades;
      if (added.peak > peak) peak = added.peak;
      if (agent === null) continue;
      const market = held.get(agent) ?? { tickets: 0, supply: 1, price: 0n };
      held.set(agent, market);
      market.tickets += tickets;
      market.supply = supply ?? market.supply;
      price -= market.price;
      market.price = sellablePrice(market);
      price += market.price;
    }
    const { protocolFee, agentFee } = fees(price, splits[i] as FeeSplit);
    const value = price - protocolFee - agentFee;
    const total = sums.realized + value - sums.cost + sums.feesEarned;
    return { ...sums, time: bound.getTime(), value, total, peak: spent + peak };
  });
}

/** What a wallet paid for purchases, less what sales paid it. The cost of sold tickets is in both sums, so it cancels out. */
const spentBy = ({ cost, realized }: Readonly<Sums>): Wei => cost - realized;

/** Price on the curve of the tickets that can be sold. The contract keeps the last ticket of a market. */
function sellablePrice({ tickets, supply }: Held): Wei {
  const sellable = Math.min(tickets, supply - 1);
  return sellable > 0 ? sellPrice(BigInt(supply), BigInt(sellable)) : 0n;
}

/** The change from the first to the last point. The drawdown is the largest fall from an earlier point. */
function figuresBetween(points: readonly Point[]) {
  const [from, to] = [points[0] as Point, points.at(-1) as Point];
  let [highest, maxDrawdown, most] = [from.total, 0n, spentBy(from)];
  // The trades before the first point are not in the period.
  for (const { total, peak } of points.slice(1)) {
    if (peak > most) most = peak;
    if (total > highest) highest = total;
    if (highest - total > maxDrawdown) maxDrawdown = highest - total;
  }
  return {
    total: to.total - from.total,
    realized: to.realized - from.realized,
    unrealized: to.value - to.cost - (from.value - from.cost),
    feesEarned: to.feesEarned - from.feesEarned,
    volume: to.volume - from.volume,
    feesPaid: to.feesPaid - from.feesPaid,
    trades: to.trades - from.trades,
    maxDrawdown,
    totalAtEnd: to.total,
    valueAtEnd: to.value,
    capital: from.value + most - spentBy(from),
  };
}
