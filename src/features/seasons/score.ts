import { answerOrNull } from '../../chain/chain.js';
import { type IndexDeps, readCursor } from '../../index/cursor.js';
import type { Sql } from '../../store/sql.js';
import { insertSeason, startDueSeason, withSeasonLock } from './lifecycle.js';
import { computePoints } from './points.js';
import { hasBegun, hasEnded, isDue, seasonFrom } from './rules.js';
import { readSeasons, type SeasonRow } from './seasons.js';

/**
 * Does everything that is due: starts a season, freezes seasons that have ended, and scores the active season once per day. It may
 * be called at any time and concurrently; a repeated call changes nothing.
 */
export const updateSeasons = (deps: IndexDeps): Promise<Scored[]> =>
  update(deps, (season, now) => !hasEnded(season, now) && isDue(season.scoredAt, now));

/** Like `updateSeasons`, but scores every season that has begun and is not frozen, even if its daily scoring is not due. */
export const scoreNow = (deps: IndexDeps): Promise<Scored[]> => update(deps, () => true);

/**
 * Scores the seasons that `wanted` selects among all seasons that have begun and are not frozen. Before that, it starts and
 * freezes seasons.
 */
async function update(deps: IndexDeps, wanted: (season: SeasonRow, now: Date) => boolean): Promise<Scored[]> {
  await startDueSeason(deps);
  const scored = await freezeEnded(deps);
  const isWanted = (season: SeasonRow, now: Date) => season.frozenAt === null && hasBegun(season, now) && wanted(season, now);
  const found = (await readSeasons(deps.sql)).filter((season) => isWanted(season, deps.clock.now()));
  for (const { number } of found) {
    // Each season has its own transaction, which checks again under the lock: another replica may have scored the season.
    const agents = await withSeasonLock(deps, async (sql) => {
      const now = deps.clock.now();
      const seasons = await readSeasons(sql);
      const season = seasons.find((row) => row.number === number);
      if (!season || !isWanted(season, now)) return null;
      const scoredAgents = await computePoints(sql, { seasons, season, now });
      await sql('update season set scored_at = $2 where number = $1', [number, now.toISOString()]);
      return scoredAgents;
    });
    if (agents === null) continue;
    deps.log.info({ season: number, agents }, 'season scored');
    scored.push({ number, agents, isFrozen: false });
  }
  return scored;
}

/**
 * Time between the end of a season and its freeze, so that running requests commit before. It also covers that block times are
 * rounded to whole seconds.
 */
const SETTLE_MS = 5000;

type Scored = { readonly number: number; readonly agents: number; readonly isFrozen: boolean };

/**
 * Scores and freezes each season that has ended and whose blocks are indexed, oldest first. Loops because a freeze may start the
 * next season, which may have ended as well.
 */
async function freezeEnded(deps: IndexDeps): Promise<Scored[]> {
  const frozen: Scored[] = [];
  for (;;) {
    const season = oldestEnded(await readSeasons(deps.sql), new Date(deps.clock.now().getTime() - SETTLE_MS));
    if (season === undefined) return frozen;
    const block = await indexedPast(deps, season.endAt);
    if (block === null) return frozen;
    // null if another replica has frozen the season, or if a reorg has rolled the index back.
    const agents = await withSeasonLock(deps, (sql) => freeze(deps, sql, season.number, block));
    if (agents === null) return frozen;
    deps.log.info({ season: season.number, agents }, 'season frozen');
    frozen.push({ number: season.number, agents, isFrozen: true });
  }
}

const oldestEnded = (seasons: readonly SeasonRow[], now: Date): SeasonRow | undefined =>
  seasons.find((season) => season.frozenAt === null && hasEnded(season, now));

/**
 * Scores the season a last time, freezes it, and starts the next season if SEASON_DAYS is set. Returns the number of agents. null:
 * the season is no longer the oldest that must be frozen, or the index is behind `block` again or has a fault.
 */
async function freeze(deps: IndexDeps, sql: Sql, number: number, block: number): Promise<number | null> {
  const now = deps.clock.now();
  const seasons = await readSeasons(sql);
  const season = oldestEnded(seasons, now);
  const [cursor] = await sql<{ indexed: boolean }>(
    'select block_number >= $1::bigint and fault is null as indexed from indexer_cursor',
    [block],
  );
  if (season?.number !== number || cursor?.indexed !== true) return null;
  const agents = await computePoints(sql, { seasons, season, now });
  await sql('update season set scored_at = $2, frozen_at = $2 where number = $1', [number, now.toISOString()]);
  if (deps.config.SEASON_DAYS > 0 && seasons.at(-1)?.number === number) {
    await insertSeason(sql, number + 1, seasonFrom(season.endAt, deps.config.SEASON_DAYS));
  }
  return agents;
}

/** Newest block that is confirmed and indexed, if every later block has a time at or after `moment`. null otherwise. */
async function indexedPast(deps: IndexDeps, moment: Date): Promise<number | null> {
  const { blockNumber, fault } = await readCursor(deps);
  if (fault !== null) return null;
  const head = await answerOrNull(deps.chain.blockNumber());
  if (head === null) return null;
  // Recording a trade can index blocks that are not confirmed yet, so the smaller of the two numbers counts.
  const block = Math.min(blockNumber, head - deps.config.confirmations);
  const time = await answerOrNull(deps.chain.blockTime(block));
  if (time !== null && time >= moment) return block;
  // The embedded chain mines a block only on demand, so its next block will be later than now, and than `moment`.
  return deps.config.chainEmbedded && block >= head ? block : null;
}
