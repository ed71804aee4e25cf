import { AppError } from '../../errors.js';
import { hasBegun, hasEnded } from './rules.js';
import { type SeasonDeps, withSeasonLock } from './season-table.js';
import { readSeasons, type Season, stateOf } from './seasons.js';

/**
 * Ends a season now. An ended season is not changed. A season that has not begun is deleted, so that a mistyped date blocks
 * no other season.
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
