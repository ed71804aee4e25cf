import { DAY_MS } from '../../values/time.js';

/** The half-open interval [startAt, endAt) of a season. */
export type Span = { readonly startAt: Date; readonly endAt: Date };

/** 00:00 UTC of the same day. */
export const midnightOf = (moment: Date): Date => new Date(Math.floor(moment.getTime() / DAY_MS) * DAY_MS);

const midnightAfter = (moment: Date): Date => new Date(midnightOf(moment).getTime() + DAY_MS);

export const isMidnight = (moment: Date): boolean => moment.getTime() % DAY_MS === 0;

export const hasBegun = ({ startAt }: Span, now: Date): boolean => startAt <= now;
export const hasEnded = ({ endAt }: Span, now: Date): boolean => endAt <= now;
export const isRunning = (season: Span, now: Date): boolean => hasBegun(season, now) && !hasEnded(season, now);

/** The time whose state is scored: now, or the end of the season if that is earlier. */
export const momentOf = ({ endAt }: Span, now: Date): Date => (endAt < now ? endAt : now);

/** Days left, rounded up: 1 on the last day. 0 after the end. */
export const daysLeft = ({ endAt }: Span, now: Date): number => Math.max(0, Math.ceil((endAt.getTime() - now.getTime()) / DAY_MS));

/** True if the season was not scored since the last midnight UTC. */
export const isDue = (scoredAt: Date | null, now: Date): boolean => scoredAt === null || scoredAt < midnightOf(now);

/** A season that has begun and is not frozen. */
export type SeasonProgress = Span & { readonly scoredAt: Date | null };

/**
 * Time for which a season should have been scored, or frozen after its end, in milliseconds. 0 if neither is due. A season
 * that has never been scored is due since its start.
 */
export function overdueMs(season: SeasonProgress, now: Date): number {
  const { startAt, endAt, scoredAt } = season;
  if (hasEnded(season, now)) return now.getTime() - endAt.getTime();
  if (!isDue(scoredAt, now)) return 0;
  return now.getTime() - Math.max(startAt.getTime(), scoredAt === null ? 0 : midnightAfter(scoredAt).getTime());
}

/**
 * The season that starts automatically after the last season. null if no season is due. The first season starts today. A
 * later season starts at the end of the last one, but not before today: if seasons were run by hand for a while, none starts
 * in the past.
 */
export function nextSeason(last: (Span & { readonly isFrozen: boolean }) | null, days: number, now: Date): Span | null {
  if (days === 0) return null;
  if (last === null) return seasonFrom(midnightOf(now), days);
  if (!last.isFrozen) return null;
  return seasonFrom(new Date(Math.max(last.endAt.getTime(), midnightOf(now).getTime())), days);
}

/** A season of `days` days including the day of its start, which ends at 00:00 UTC. */
export const seasonFrom = (startAt: Date, days: number): Span => ({
  startAt,
  endAt: new Date(midnightOf(startAt).getTime() + days * DAY_MS),
});

/** A new season must start at or after the end of the last one, so that numbers are in order of time. */
export const mayFollow = (last: Span | null, { startAt }: Span): boolean => last === null || startAt >= last.endAt;
