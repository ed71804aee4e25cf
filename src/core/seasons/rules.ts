import { DAY_MS } from '../../time.js';

/** When a season runs: from its start, up to and without its end. */
export type Span = { readonly startAt: Date; readonly endAt: Date };

/** 00:00 UTC of the day of a moment. */
export const midnightOf = (moment: Date): Date => new Date(Math.floor(moment.getTime() / DAY_MS) * DAY_MS);

export const isMidnight = (moment: Date): boolean => moment.getTime() % DAY_MS === 0;

export const hasBegun = ({ startAt }: Span, now: Date): boolean => startAt <= now;
export const hasEnded = ({ endAt }: Span, now: Date): boolean => endAt <= now;

/** The moment whose state counts: now, or the season's end once that has passed. */
export const momentOf = ({ endAt }: Span, now: Date): Date => (endAt < now ? endAt : now);

/** Days that have begun count whole: a season says 1 on its last day, never 0. */
export const daysLeft = ({ endAt }: Span, now: Date): number =>
  Math.max(0, Math.ceil((endAt.getTime() - now.getTime()) / DAY_MS));

/** Whether the points are older than the last midnight. */
export const isDue = (scoredAt: Date | null, now: Date): boolean => scoredAt === null || scoredAt < midnightOf(now);

/**
 * The season that begins by itself after the last one; null while there is nothing to begin. It lasts `days` days, of
 * which the day of its beginning is the first, so that it ends at 00:00 UTC. The first begins today; any other at the
 * end of the last, unless seasons began by hand for a while: what nobody announced does not begin in the past.
 */
export function nextSeason(last: (Span & { readonly isFrozen: boolean }) | null, days: number, now: Date): Span | null {
  if (days === 0) return null;
  if (last === null) return lasting(midnightOf(now), days);
  if (!last.isFrozen) return null;
  return lasting(new Date(Math.max(last.endAt.getTime(), midnightOf(now).getTime())), days);
}

/** The season that begins at the end of the one that is being frozen. */
export const followingSeason = ({ endAt }: Span, days: number): Span => lasting(endAt, days);

const lasting = (startAt: Date, days: number): Span => ({
  startAt,
  endAt: new Date(midnightOf(startAt).getTime() + days * DAY_MS),
});

/** A season may begin where no other is, nor before one: numbers follow the time. */
export const mayFollow = (last: Span | null, { startAt }: Span): boolean => last === null || startAt >= last.endAt;
