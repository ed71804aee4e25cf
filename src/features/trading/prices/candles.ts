import type { Deps } from '../../../deps.js';
import type { CandleState } from '../../../index/rules.js';
import { idsIn } from '../../../store/pages.js';
import { curvePriceSql } from '../../../values/curve.js';
import { DAY_MS } from '../../../values/time.js';
import { findMarket } from '../../agents/lookup.js';

export type CandleInterval = '1m' | '5m' | '15m' | '1h' | '4h' | '1d';

/** Prices of one ticket after each trade in an interval, without fees. A candle opens at the close of the previous candle. */
export type CandleRow = Readonly<CandleState> & { readonly wallet: string; readonly time: Date };
type CandleRequest = { readonly interval: CandleInterval; readonly before: Date; readonly limit: number };

const seconds: Readonly<Record<CandleInterval, number>> = {
  '1m': 60,
  '5m': 300,
  '15m': 900,
  '1h': 3600,
  '4h': 14_400,
  '1d': 86_400,
};

/** The start of the interval that contains a time, in SQL. `$2` is the length of the interval in seconds. */
const startOf = (time: string): string => `to_timestamp(floor(extract(epoch from ${time}) / $2::int) * $2::int)`;
/** The end of the last interval that starts before the time `$3`. */
const END = 'to_timestamp(ceil(extract(epoch from $3::timestamptz) / $2::int) * $2::int)';

/** Sums up the hourly candles of the index. */
const OF_HOURS = `
  select start as time, (array_agg(open order by hour))[1] as open, max(high) as high, min(low) as low,
    (array_agg(close order by hour desc))[1] as close, sum(volume) as volume, sum(trades)::int as trades
  from (select candle.*, ${startOf('hour')} as start from candle where agent = parent.wallet and hour < ${END}) hours
  group by start order by start desc limit $4`;

/** The start of the newest interval with a trade before a time. */
const newestBefore = (time: string): string =>
  `(select ${startOf('block_time')} from transaction where agent = parent.wallet and block_time < ${time}
    order by block_time desc limit 1)`;
/** Goes back from interval to interval with a trade, so that it reads only the trades of the candles that it returns. */
const OF_TRADES = `
  with recursive found (start, count) as (
    select ${newestBefore(END)}, 1
    union all select ${newestBefore('found.start')}, count + 1 from found where start is not null and count < $4
  )
  select start as time, candle.* from found cross join lateral (
    select (array_agg(before order by block_number, log_index))[1] as open, greatest(max(before), max(after)) as high,
      least(min(before), min(after)) as low, (array_agg(after order by block_number desc, log_index desc))[1] as close,
      sum(price) as volume, count(*)::int as trades
    from (
      select block_number, log_index, price, ${curvePriceSql('supply_after', '1')} as after,
        ${curvePriceSql('supply_after + case when realized_pnl is null then -amount else amount end', '1')} as before
      from transaction where agent = parent.wallet and block_time >= start and block_time < start + make_interval(secs => $2::int)
    ) trades
  ) candle where start is not null`;

/**
 * The newest candles of each market that start before a time, oldest first. The last interval also takes its trades after that time.
 * Intervals without a trade are omitted.
 */
export async function candles(
  deps: Deps,
  wallets: readonly string[],
  { interval, before, limit }: CandleRequest,
): Promise<Map<string, CandleRow[]>> {
  const rows = await deps.sql<CandleRow>(
    `select parent.wallet, candles.* from ${idsIn('$1')} as parent (wallet)
     cross join lateral (${seconds[interval] < seconds['1h'] ? OF_TRADES : OF_HOURS}) candles order by parent.wallet, candles.time`,
    [wallets, seconds[interval], before, limit],
  );
  return Map.groupBy(rows, ({ wallet }) => wallet);
}

/**
 * The newest candles of a market, found by wallet address, agentId or name. `before` excludes the candles that start at that time
 * or later.
 */
export async function candlesOf(
  deps: Deps,
  reference: string,
  { before, ...request }: Omit<CandleRequest, 'before'> & { readonly before: Date | null | undefined },
): Promise<CandleRow[]> {
  const wallet = await findMarket(deps, reference);
  // Without `before`, a day after now, so that the newest candle is found even if block times are ahead of this clock.
  const end = before ?? new Date(deps.clock.now().getTime() + DAY_MS);
  return (await candles(deps, [wallet], { ...request, before: end })).get(wallet) ?? [];
}
