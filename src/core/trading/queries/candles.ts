import type { Deps } from '../../../deps.js';
import type { Wei } from '../../../money.js';

export const candleIntervals = ['1h', '4h', '1d'] as const;
export type CandleInterval = (typeof candleIntervals)[number];

/** The price of one ticket over an interval: after each trade, opening where the last one closed. */
export type CandleView = {
  readonly time: Date;
  readonly open: Wei;
  readonly high: Wei;
  readonly low: Wei;
  readonly close: Wei;
  readonly volume: Wei;
  readonly trades: number;
};

export const candleSeconds: Readonly<Record<CandleInterval, number>> = { '1h': 3600, '4h': 14_400, '1d': 86_400 };

/** The newest candles before a moment, ascending, rolled up from hours; intervals without a trade are left out. */
export async function candlesOf(
  deps: Deps,
  wallet: string,
  { interval, before, limit }: { interval: CandleInterval; before: Date; limit: number },
): Promise<CandleView[]> {
  const rows = await deps.sql<CandleView>(
    `select start as time, (array_agg(open order by hour))[1] as open, max(high) as high, min(low) as low,
       (array_agg(close order by hour desc))[1] as close, sum(volume) as volume, sum(trades)::int as trades
     from (select candle.*, to_timestamp(floor(extract(epoch from hour) / $2::int) * $2::int) as start
           from candle where agent = $1 and hour < $3::timestamptz + make_interval(secs => $2::int)) hours
     where start < $3 group by start order by start desc limit $4`,
    [wallet, candleSeconds[interval], before, limit],
  );
  return rows.reverse();
}
