import type { Deps } from '../../../deps.js';
import type { Sql } from '../../../store/sql.js';
import { DAY_MS, HOUR_MS } from '../../../values/time.js';

/** What the periods of a list are: days, weeks from Monday or months, all from 00:00 UTC, seasons, or the whole time. */
export type PeriodUnit = 'day' | 'week' | 'month' | 'season' | 'all';

/** A period: the half-open interval [start, end). `season` is its number, if it is a season. */
export type Period = { readonly start: Date; readonly end: Date; readonly season: number | null };

/** The newest periods that start before a time. */
export type PeriodRequest = { readonly unit: PeriodUnit; readonly before?: Date | null | undefined; readonly limit: number };

/** The time that periods cover: from the first fact until now. Now is the time of the newest block if that is ahead of the clock. */
type Covered = { readonly first: Date; readonly now: Date };

/** The periods of a unit that overlap the covered time, oldest first. */
export async function periodsIn(sql: Sql, { first, now }: Covered, { unit, before, limit }: PeriodRequest): Promise<Period[]> {
  const last = new Date(Math.min(now.getTime(), (before?.getTime() ?? Number.POSITIVE_INFINITY) - 1));
  if (unit === 'season') {
    const seasons = await sql<Period>(
      `select number as season, start_at as start, end_at as end from season where start_at <= $1 and end_at > $2
       order by start_at desc limit $3`,
      [last, first, limit],
    );
    return seasons.reverse();
  }
  if (unit === 'all') {
    const whole = { start: startOfPeriod('day', first), end: startOfPeriod('day', now, 1), season: null };
    return whole.start <= last ? [whole] : [];
  }
  const periods: Period[] = [];
  for (let end = startOfPeriod(unit, last, 1); end > first && periods.length < limit; ) {
    const start = startOfPeriod(unit, new Date(end.getTime() - 1));
    periods.push({ start, end, season: null });
    end = start;
  }
  return periods.reverse();
}

/** Start of the day, week or month that contains a time, or of the one that comes `later` after it. */
function startOfPeriod(unit: 'day' | 'week' | 'month', time: Date, later = 0): Date {
  if (unit === 'month') return new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + later));
  const day = Math.floor(time.getTime() / DAY_MS);
  // Day 0, which is 1 January 1970, was a Thursday.
  const monday = day - ((day + 3) % 7);
  return new Date((unit === 'day' ? day + later : monday + 7 * later) * DAY_MS);
}

/**
 * The starts and ends of the periods, and the full hours of days or the full days of longer periods in between, oldest first. After
 * `now`, nothing changes, so there are no more in between.
 */
export function boundsOf(unit: PeriodUnit, periods: readonly Period[], now: Date): Date[] {
  const step = unit === 'day' ? HOUR_MS : DAY_MS;
  const times = new Set<number>();
  for (const { start, end } of periods) {
    times.add(start.getTime());
    const last = Math.min(end.getTime(), now.getTime());
    for (let time = (Math.floor(start.getTime() / step) + 1) * step; time < last; time += step) times.add(time);
    times.add(end.getTime());
  }
  return [...times].sort((a, b) => a - b).map((time) => new Date(time));
}

/** The present time, or that of the newest indexed block if it is ahead of the clock. */
export async function timeOfMarket({ sql, clock }: Pick<Deps, 'sql' | 'clock'>): Promise<Date> {
  const [cursor] = await sql<{ blockTime: Date | null }>('select block_time as "blockTime" from indexer_cursor');
  const now = clock.now();
  return cursor?.blockTime && cursor.blockTime > now ? cursor.blockTime : now;
}
