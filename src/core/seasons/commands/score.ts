import type { Sql } from '../../../store/sql.js';
import type { IndexDeps } from '../../trading/commands/cursor.js';
import { hasBegun, hasEnded, isDue } from '../rules.js';
import { freezeEnded } from './freeze.js';
import { computePoints } from './points.js';
import { beginSeason } from './start.js';
import { readSeasons, type SeasonRow, withSeasonLock } from './turn.js';

export type Scored = { readonly number: number; readonly agents: number; readonly isFrozen: boolean };

/**
 * Does whatever is due: begins a season, freezes those that have ended, and scores the running one if it was not scored
 * since midnight. Anybody may call it, at any time and at once; what is done is not done again.
 */
export async function updateSeasons(deps: IndexDeps): Promise<Scored[]> {
  await beginSeason(deps);
  const frozen = await freezeEnded(deps);
  return [
    ...frozen,
    ...(await scoreOpen(deps, (season, now) => !hasEnded(season, now) && isDue(season.scoredAt, now))),
  ];
}

/** The same, and scores every season that is not frozen whether due or not. */
export async function scoreNow(deps: IndexDeps): Promise<Scored[]> {
  await beginSeason(deps);
  const frozen = await freezeEnded(deps);
  return [...frozen, ...(await scoreOpen(deps, () => true))];
}

/** Scores the seasons that have begun and are not frozen, as far as they are wanted. */
async function scoreOpen(deps: IndexDeps, wanted: (season: SeasonRow, now: Date) => boolean): Promise<Scored[]> {
  const isWanted = (season: SeasonRow, now: Date) =>
    season.frozenAt === null && hasBegun(season, now) && wanted(season, now);
  const found = (await readSeasons(deps.sql)).filter((season) => isWanted(season, deps.clock.now()));
  const scored: Scored[] = [];
  for (const { number } of found) {
    // A transaction each, and what is wanted is looked at again in it: another replica may have done it.
    const agents = await withSeasonLock(deps, async (sql) => {
      const now = deps.clock.now();
      const seasons = await readSeasons(sql);
      const season = seasons.find((one) => one.number === number);
      return season && isWanted(season, now) ? scoreSeason(sql, seasons, season, now) : null;
    });
    if (agents === null) continue;
    deps.log.info({ season: number, agents }, 'season scored');
    scored.push({ number, agents, isFrozen: false });
  }
  return scored;
}

async function scoreSeason(sql: Sql, seasons: readonly SeasonRow[], season: SeasonRow, now: Date): Promise<number> {
  const agents = await computePoints(sql, seasons, season, now);
  await sql('update season set scored_at = $2 where number = $1', [season.number, now.toISOString()]);
  return agents;
}
