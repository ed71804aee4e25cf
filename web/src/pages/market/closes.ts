const DAY = 86_400_000;
/** Number of days in a small chart of the list of trends. */
export const DAYS = 14;

type Candle = { readonly time: string; readonly close: string };
/** The price of one ticket at the end of a day, or now. */
export type Close = { readonly at: number; readonly wei: bigint };

/** Returns the starts of the last 14 days in UTC, today last. */
export function daysUntil(now: number): readonly number[] {
  const today = Math.floor(now / DAY) * DAY;
  return Array.from({ length: DAYS }, (_, i) => today - (DAYS - 1 - i) * DAY);
}

/**
 * Returns the closing price of each of these days, oldest first, from the newest candles of an agent. A day without a trade has
 * the close of the day before. Days before the first trade are left out.
 */
export function closesOf(candles: readonly Candle[], days: readonly number[]): readonly Close[] {
  return days.flatMap((at) => {
    const last = candles.findLast(({ time }) => Date.parse(time) <= at);
    return last ? [{ at, wei: BigInt(last.close) }] : [];
  });
}
