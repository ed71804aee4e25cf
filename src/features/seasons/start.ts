import { AppError } from '../../errors.js';
import { isMidnight, mayFollow, nextSeason, type Span } from './rules.js';
import { insertSeason, type SeasonDeps, withSeasonLock } from './season-table.js';
import { readSeasons, type Season, type SeasonRow, stateOf } from './seasons.js';

/** Starts a season by hand. */
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

/**
 * Starts a season automatically if one is due: the first season ever, or the first season after SEASON_DAYS was set.
 */
export async function startDueSeason(deps: SeasonDeps): Promise<void> {
  const next = (seasons: readonly SeasonRow[]) => {
    const last = seasons.at(-1);
    const lastSeason = last ? { ...last, isFrozen: last.frozenAt !== null } : null;
    const span = nextSeason(lastSeason, deps.config.SEASON_DAYS, deps.clock.now());
    return span && { number: (last?.number ?? 0) + 1, span };
  };
  // Usually no season is due. Then no lock is taken.
  if (next(await readSeasons(deps.sql)) === null) return;
  await withSeasonLock(deps, async (sql) => {
    const due = next(await readSeasons(sql));
    if (due === null) return;
    await insertSeason(sql, due.number, due.span);
    deps.log.info({ season: due.number, ...due.span }, 'season started');
  });
}
