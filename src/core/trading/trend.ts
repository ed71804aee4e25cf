import type { Wei } from '../../money.js';
import { DAY_MS } from '../../time.js';
import { unitPrice } from '../pricing/rules.js';

/** How much the price of one ticket changed between two supplies: percent, rounded to two decimals. */
export function priceChange(supplyBefore: number, supplyNow: number): number {
  const before = unitPrice(BigInt(supplyBefore));
  const change = (unitPrice(BigInt(supplyNow)) - before) * 10_000n;
  const half = change < 0n ? -before / 2n : before / 2n;
  return Number((change + half) / before) / 100;
}

/** What happened in an agent's tickets in the last 24 hours. */
export type Activity = {
  readonly wallet: string;
  readonly volume: Wei;
  readonly txCount: number;
  readonly uniqueTraders: number;
  /** Percent. */
  readonly priceChange24h: number;
  readonly lastTradeAt: Date;
  readonly newHolders24h: number;
};

/** The parts of the score and what each weighs, of 100. */
const parts: readonly (readonly [weight: number, part: (activity: Activity, now: Date) => number])[] = [
  [30, ({ volume }) => Number(volume)],
  [25, ({ uniqueTraders }) => uniqueTraders],
  [20, ({ priceChange24h }) => Math.max(0, priceChange24h)],
  [15, ({ lastTradeAt }, now) => recency(lastTradeAt, now)],
  [10, ({ newHolders24h }) => newHolders24h],
];

/** 1 for now, 0 for a day ago. A block may be a little ahead of the clock. */
function recency(lastTradeAt: Date, now: Date): number {
  const age = now.getTime() - lastTradeAt.getTime();
  return Math.min(1, Math.max(0, 1 - age / DAY_MS));
}

/**
 * Scores the candidates against each other, the best first: each part is scaled to the highest of all candidates, and
 * one in which nobody has anything gives nothing. Equal scores stand by the number of trades, then by address.
 */
export function rankByTrend<T extends Activity>(candidates: readonly T[], now: Date): (T & { trendScore: number })[] {
  const highest = parts.map(([, part]) =>
    candidates.reduce((most, candidate) => Math.max(most, part(candidate, now)), 0),
  );
  const scoreOf = (candidate: T): number =>
    parts.reduce((sum, [weight, part], i) => {
      const most = highest[i] ?? 0;
      return most === 0 ? sum : sum + (weight * part(candidate, now)) / most;
    }, 0);
  return candidates
    .map((candidate) => ({ ...candidate, trendScore: Math.round(scoreOf(candidate)) }))
    .sort((a, b) => b.trendScore - a.trendScore || b.txCount - a.txCount || (a.wallet < b.wallet ? -1 : 1));
}
