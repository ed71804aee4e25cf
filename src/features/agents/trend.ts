import type { Wei } from '../../money.js';
import { DAY_MS } from '../../time.js';

/** Activity in an agent's tickets in the last 24 hours. */
export type Activity = {
  readonly wallet: string;
  readonly volume: Wei;
  readonly txCount: number;
  readonly uniqueTraders: number;
  /** In percent. */
  readonly priceChange24h: number;
  readonly lastTradeAt: Date;
  readonly newHolders24h: number;
};

/** Components of the trend score with their weights, which sum up to 100. */
const parts: readonly (readonly [weight: number, part: (activity: Activity, now: Date) => number])[] = [
  [30, ({ volume }) => Number(volume)],
  [25, ({ uniqueTraders }) => uniqueTraders],
  [20, ({ priceChange24h }) => Math.max(0, priceChange24h)],
  [15, ({ lastTradeAt }, now) => recency(lastTradeAt, now)],
  [10, ({ newHolders24h }) => newHolders24h],
];

/**
 * Recency of a trade: 1 for now, falling linearly to 0 for 24 hours ago. Block times slightly in the future count as
 * now.
 */
function recency(lastTradeAt: Date, now: Date): number {
  const age = now.getTime() - lastTradeAt.getTime();
  return Math.min(1, Math.max(0, 1 - age / DAY_MS));
}

/**
 * Scores the candidates relative to each other, best first. Each component is scaled to its maximum among the candidates; a
 * component that is 0 for all adds nothing. Ties are ordered by number of trades, then by address.
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
