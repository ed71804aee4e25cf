import type { IndexDeps } from '../../index/cursor.js';
import { freezeEnded, type Scored } from './freeze.js';
import { computePoints } from './points.js';
import { hasBegun, hasEnded, isDue } from './rules.js';
import { readSeasons, type SeasonRow, withSeasonLock } from './season-table.js';
import { startDueSeason } from './start.js';

/**
 * Runs all due work: starts a season, freezes ended ones, and scores the active one once per day. Idempotent; safe to call
 * at any time and concurrently.
 */
export const updateSeasons = (deps: IndexDeps): Promise<Scored[]> =>
  update(deps, (season, now) => !hasEnded(season, now) && isDue(season.scoredAt, now));

/**
 * Like updateSeasons, but scores every season that has begun and is not frozen, even if its daily scoring is not due.
 */
export const scoreNow = (deps: IndexDeps): Promise<Scored[]> => update(deps, () => true);

/** Scores the open seasons that match `wanted`. A season is open if it has begun and is not frozen. */
async function update(deps: IndexDeps, wanted: (season: SeasonRow, now: Date) => boolean): Promise<Scored[]> {
  await startDueSeason(deps);
  const scored = await freezeEnded(deps);
  const isWanted = (season: SeasonRow, now: Date) =>
    season.frozenAt === null && hasBegun(season, now) && wanted(season, now);
  const found = (await readSeasons(deps.sql)).filter((season) => isWanted(season, deps.clock.now()));
  for (const { number } of found) {
    // Each season has its own transaction, which checks again: another replica may have scored it.
    const agents = await withSeasonLock(deps, async (sql) => {
      const now = deps.clock.now();
      const seasons = await readSeasons(sql);
      const season = seasons.find((row) => row.number === number);
      if (!season || !isWanted(season, now)) return null;
      const scoredAgents = await computePoints(sql, seasons, season, now);
      await sql('update season set scored_at = $2 where number = $1', [number, now.toISOString()]);
      return scoredAgents;
    });
    if (agents === null) continue;
    deps.log.info({ season: number, agents }, 'season scored');
    scored.push({ number, agents, isFrozen: false });
  }
  return scored;
}
