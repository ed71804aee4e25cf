const HOUR = 3_600_000;

/**
 * The ranges of the price chart. Each has the interval of one candle, as the service names it and in milliseconds (`step`), and
 * the number of candles to ask for.
 */
export const ranges = {
  '1d': { interval: 'HOUR', step: HOUR, count: 24 },
  '7d': { interval: 'FOUR_HOURS', step: 4 * HOUR, count: 42 },
  '30d': { interval: 'DAY', step: 24 * HOUR, count: 30 },
  all: { interval: 'DAY', step: 24 * HOUR, count: 150 },
} as const;
export type Range = keyof typeof ranges;

/** A candle as the service sends it. The service sends no candle for an interval without a trade. */
export type SentCandle = Readonly<Record<'time' | 'open' | 'high' | 'low' | 'close' | 'volume', string>>;

/** One bar of the chart: the start of its interval in milliseconds, and prices and volume in wei. */
export type Bar = {
  readonly at: number;
  readonly open: bigint;
  readonly high: bigint;
  readonly low: bigint;
  readonly close: bigint;
  readonly volume: bigint;
};

/**
 * The bars of a range, without gaps: an interval without a trade has the price of the interval before. `price` is the price now,
 * which fills a range that has no candles at all.
 */
export function barsOf(candles: readonly SentCandle[], range: Range, now: number, price: bigint): Bar[] {
  const { step, count } = ranges[range];
  const end = Math.floor(now / step) * step;
  // The clock of the reader may be slow, so the newest candles may begin after `now`. They are left out.
  const sent = candles.map(barOf).filter(({ at }) => at <= end);
  const start = range === 'all' ? (sent[0]?.at ?? end) : end - (count - 1) * step;
  const byTime = new Map(sent.map((bar) => [bar.at, bar]));
  const before = sent.findLast(({ at }) => at < start);
  const first = sent.find(({ at }) => at >= start);
  // The price before the first interval: the close of the last older candle, or else the open of the first candle.
  let close = before?.close ?? first?.open ?? price;
  const bars: Bar[] = [];
  for (let at = start; at <= end; at += step) {
    const bar = byTime.get(at) ?? { at, open: close, high: close, low: close, close, volume: 0n };
    bars.push(bar);
    close = bar.close;
  }
  return bars;
}

/** A trade of the connected wallet. */
export type OwnTrade = { readonly type: string; readonly amount: number; readonly createdAt: string };

/** The tickets that the connected wallet bought and sold during a bar. */
export type Mark = { readonly bar: Bar; readonly bought: number; readonly sold: number };

/** The bars during which the connected wallet traded, oldest first. */
export function marksOf(bars: readonly Bar[], range: Range, trades: readonly OwnTrade[]): Mark[] {
  const { step } = ranges[range];
  const sums = new Map<number, { bought: number; sold: number }>();
  for (const { type, amount, createdAt } of trades) {
    const at = Math.floor(Date.parse(createdAt) / step) * step;
    const { bought, sold } = sums.get(at) ?? { bought: 0, sold: 0 };
    sums.set(at, type.includes('SELL') ? { bought, sold: sold + amount } : { bought: bought + amount, sold });
  }
  return bars.flatMap((bar) => {
    const sum = sums.get(bar.at);
    return sum ? [{ bar, ...sum }] : [];
  });
}

const barOf = ({ time, open, high, low, close, volume }: SentCandle): Bar => ({
  at: Date.parse(time),
  open: BigInt(open),
  high: BigInt(high),
  low: BigInt(low),
  close: BigInt(close),
  volume: BigInt(volume),
});
