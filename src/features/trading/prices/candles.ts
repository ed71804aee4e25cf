import type { Deps } from '../../../deps.js';
import type { CandleState } from '../../../index/rules.js';
import { idsIn } from '../../../store/pages.js';
import { DAY_MS } from '../../../values/time.js';
import { findMarket } from '../../agents/lookup.js';

export type CandleInterval = '1h' | '4h' | '1d';

/** Prices of one ticket after each trade in an interval, without fees. A candle opens at the close of the previous candle. */
export type CandleRow = Readonly<CandleState> & { readonly wallet: string; readonly time: Date };
type CandleRequest = { readonly interval: CandleInterval; readonly before: Date; readonly limit: number };

const seconds: Readonly<Record<CandleInterval, number>> = { '1h': 3600, '4h': 14_400, '1d': 86_400 };

/**
 * The newest candles of each market that start before a time, oldest first. They are summed up from the hourly candles of the
 * index; the last interval also takes its hours after that time. Intervals without a trade are omitted.
 */
export async function candles(
  deps: Deps,
  wallets: readonly string[],
  { interval, before, limit }: CandleRequest,
): Promise<Map<string, CandleRow[]>> {
  const rows = await deps.sql<CandleRow>(
    `select parent.wallet, candles.* from ${idsIn('$1')} as parent (wallet)
     cross join lateral (
       select start as time, (array_agg(open order by hour))[1] as open, max(high) as high, min(low) as low,
         (array_agg(close order by hour desc))[1] as close, sum(volume) as volume, sum(trades)::int as trades
       from (select candle.*, to_timestamp(floor(extract(epoch from hour) / $2::int) * $2::int) as start
             from candle where agent = parent.wallet and hour < $3::timestamptz + make_interval(secs => $2::int)) hours
       where start < $3 group by start order by start desc limit $4
     ) candles order by parent.wallet, candles.time`,
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
