import type { Sql } from '../../../store/sql.js';
import type { IndexDeps } from '../../trading/commands/cursor.js';
import { hasBegun, hasEnded, isDue } from '../rules.js';
import { freezeEnded } from './freeze.js';
import { computePoints } from './points.js';
import { readSeasons, type SeasonRow, withSeasonLock } from './season-table.js';
import { startDueSeason } from './start.js';

export type Scored = { readonly number: number; readonly agents: number; readonly isFrozen: boolean };

/**
 * Runs all due work: starts a season, freezes ended ones, and scores the active one once per day. Idempotent; safe to call
 * at any time and concurrently.
 */
export async function updateSeasons(deps: IndexDeps): Promise<Scored[]> {
  await startDueSeason(deps);
  const frozen = await freezeEnded(deps);
  return [
    ...frozen,
    ...(await scoreOpen(deps, (season, now) => !hasEnded(season, now) && isDue(season.scoredAt, now))),
  ];
}

/** Like updateSeasons, but scores every season that has begun and is not frozen, due or not. */
export async function scoreNow(deps: IndexDeps): Promise<Scored[]> {
  await startDueSeason(deps);
  const frozen = await freezeEnded(deps);
  return [...frozen, ...(await scoreOpen(deps, () => true))];
}

/** Scores the open seasons that match `wanted`. A season is open if it has begun and is not frozen. */
async function scoreOpen(deps: IndexDeps, wanted: (season: SeasonRow, now: Date) => boolean): Promise<Scored[]> {
  const isWanted = (season: SeasonRow, now: Date) =>
    season.frozenAt === null && hasBegun(season, now) && wanted(season, now);
  const found = (await readSeasons(deps.sql)).filter((season) => isWanted(season, deps.clock.now()));
  const scored: Scored[] = [];
  for (const { number } of found) {
    // Each season has its own transaction, which checks again: another replica may have scored it.
    const agents = await withSeasonLock(deps, async (sql) => {
      const now = deps.clock.now();
      const seasons = await readSeasons(sql);
      const season = seasons.find((row) => row.number === number);
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
