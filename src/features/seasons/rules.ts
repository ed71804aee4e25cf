import { DAY_MS } from '../../values/time.js';

/** The half-open interval [startAt, endAt) of a season. */
export type Span = { readonly startAt: Date; readonly endAt: Date };

/** 00:00 UTC of the day in which `moment` is. */
export const midnightOf = (moment: Date): Date => new Date(Math.floor(moment.getTime() / DAY_MS) * DAY_MS);

const midnightAfter = (moment: Date): Date => new Date(midnightOf(moment).getTime() + DAY_MS);

export const isMidnight = (moment: Date): boolean => moment.getTime() % DAY_MS === 0;

export const hasBegun = ({ startAt }: Span, now: Date): boolean => startAt <= now;
export const hasEnded = ({ endAt }: Span, now: Date): boolean => endAt <= now;
export const isRunning = (season: Span, now: Date): boolean => hasBegun(season, now) && !hasEnded(season, now);

/** The time whose state is scored: now, or the end of the season if it has ended. */
export const momentOf = ({ endAt }: Span, now: Date): Date => (endAt < now ? endAt : now);

/** Days until the end of the season, rounded up: 1 on the last day, 0 after the end. */
export const daysLeft = ({ endAt }: Span, now: Date): number => Math.max(0, Math.ceil((endAt.getTime() - now.getTime()) / DAY_MS));

/** Whether the daily scoring is due: the season was not scored since the last midnight UTC. */
export const isDue = (scoredAt: Date | null, now: Date): boolean => scoredAt === null || scoredAt < midnightOf(now);

/** A season that has begun and is not frozen. */
export type SeasonProgress = Span & { readonly scoredAt: Date | null };

/**
 * Milliseconds since a season should have been scored or, if it has ended, frozen. 0 if neither is due. The first scoring is due
 * at the start of the season.
 */
export function overdueMs(season: SeasonProgress, now: Date): number {
  const { startAt, endAt, scoredAt } = season;
  if (hasEnded(season, now)) return now.getTime() - endAt.getTime();
  if (!isDue(scoredAt, now)) return 0;
  return now.getTime() - Math.max(startAt.getTime(), scoredAt === null ? 0 : midnightAfter(scoredAt).getTime());
}

/**
 * The season that starts automatically after the last season. null if no season is due. The first season starts today. A later
 * season starts at the end of the last season, but never before today: operators may have run seasons by hand for a while.
 */
export function nextSeason(last: (Span & { readonly isFrozen: boolean }) | null, days: number, now: Date): Span | null {
  if (days === 0) return null;
  if (last === null) return seasonFrom(midnightOf(now), days);
  if (!last.isFrozen) return null;
  return seasonFrom(new Date(Math.max(last.endAt.getTime(), midnightOf(now).getTime())), days);
}

/** A season of `days` days that ends at 00:00 UTC. The day of its start counts as a whole day. */
export const seasonFrom = (startAt: Date, days: number): Span => ({
  startAt,
  endAt: new Date(midnightOf(startAt).getTime() + days * DAY_MS),
});

/**
 * Whether a new season may start at `startAt`: not before the end of the last season, so that season numbers are in order of time.
 */
export const mayFollow = (last: Span | null, { startAt }: Span): boolean => last === null || startAt >= last.endAt;
