import type { Deps } from '../../deps.js';
import { AppError } from '../../errors/errors.js';
import { JOB, withTimeouts } from '../../store/connections/timeouts.js';
import { type Sql, sqlIn } from '../../store/sql.js';
import { hasBegun, hasEnded, isMidnight, mayFollow, nextSeason, type Span } from './rules.js';
import { readSeasons, type Season, type SeasonRow, stateOf } from './seasons.js';

/** Dependencies of starting and ending seasons. Scoring and freezing also need the chain, so they take `IndexDeps`. */
type SeasonDeps = Pick<Deps, 'config' | 'log' | 'clock' | 'write' | 'sql'>;

const ATTEMPTS = 5;
/** SQLSTATEs of a serialization failure and of a deadlock, after which the transaction can be retried. */
const AGAIN = ['40001', '40P01'];

/** Runs work on the seasons exclusively and on one snapshot. */
export const withSeasonLock = <T>(deps: SeasonDeps, work: (sql: Sql) => Promise<T>): Promise<T> => withLock(deps, 'season', work);

/**
 * Runs work exclusively, as far as it locks the same table, and on one snapshot. LOCK takes no snapshot, so it runs first: after a wait,
 * the snapshot contains the changes of the transaction that had the lock before. Reads are not blocked.
 */
export async function withLock<T>(deps: SeasonDeps, table: string, work: (sql: Sql) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await withTimeouts(JOB, () =>
        deps.write(async (tx) => {
          const sql = sqlIn(tx);
          await sql('set transaction isolation level repeatable read');
          await sql(`lock table ${table} in share row exclusive mode`);
          return await work(sql);
        }),
      );
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : '';
      if (attempt === ATTEMPTS || !AGAIN.includes(code)) throw error;
    }
  }
}

export async function insertSeason(sql: Sql, number: number, { startAt, endAt }: Span): Promise<void> {
  await sql('insert into season (number, start_at, end_at) values ($1, $2, $3)', [
    number,
    startAt.toISOString(),
    endAt.toISOString(),
  ]);
}

/** Starts a season with the given times, for an operator. It must end at midnight UTC and not overlap the last season. */
export async function startSeason(deps: SeasonDeps, span: Span): Promise<Season> {
  if (span.endAt <= span.startAt || !isMidnight(span.endAt)) {
    throw new AppError('INVALID_FIELD', { field: 'endDate', expected: '00:00 UTC of a day after startDate' });
  }
  return withSeasonLock(deps, async (sql) => {
    const last = (await readSeasons(sql)).at(-1);
    if (!mayFollow(last ?? null, span)) throw new AppError('SEASON_OVERLAPS');
    const number = (last?.number ?? 0) + 1;
    await insertSeason(sql, number, span);
    return stateOf({ number, ...span, frozenAt: null }, deps.clock.now());
  });
}

/** Starts the next season automatically if it is due: the first season ever, or the first season after SEASON_DAYS was set. */
export async function startDueSeason(deps: SeasonDeps): Promise<void> {
  const next = (seasons: readonly SeasonRow[]) => {
    const last = seasons.at(-1);
    const lastSeason = last ? { ...last, isFrozen: last.frozenAt !== null } : null;
    const span = nextSeason(lastSeason, deps.config.SEASON_DAYS, deps.clock.now());
    return span && { number: (last?.number ?? 0) + 1, span };
  };
  // Usually no season is due, and this check without a lock is enough.
  if (next(await readSeasons(deps.sql)) === null) return;
  await withSeasonLock(deps, async (sql) => {
    const due = next(await readSeasons(sql));
    if (due === null) return;
    await insertSeason(sql, due.number, due.span);
    deps.log.info({ season: due.number, ...due.span }, 'season started');
  });
}

/**
 * Ends a season now. A season that has ended already is not changed. A season that has not begun is deleted, so that a mistyped
 * date does not block other seasons.
 */
export async function endSeason(deps: SeasonDeps, number: number): Promise<Season> {
  return withSeasonLock(deps, async (sql) => {
    const season = (await readSeasons(sql)).find((row) => row.number === number);
    if (season === undefined) throw new AppError('SEASON_NOT_FOUND');
    const now = deps.clock.now();
    if (hasEnded(season, now)) return stateOf(season, now);
    if (!hasBegun(season, now)) {
      await sql('delete from season where number = $1', [number]);
      return stateOf(season, now);
    }
    await sql('update season set end_at = $2 where number = $1', [number, now.toISOString()]);
    return stateOf({ ...season, endAt: now }, now);
  });
}
