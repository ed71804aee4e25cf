import { AppError } from '../../../errors.js';
import type { Sql } from '../../../store/sql.js';
import { type IndexDeps, readCursor } from '../../trading/commands/cursor.js';
import { followingSeason, hasEnded } from '../rules.js';
import { computePoints } from './points.js';
import { insertSeason, readSeasons, type SeasonRow, withSeasonLock } from './turn.js';

/** Requests that were under way at the end have been written after this, and a block's time is a whole second. */
const SETTLE_MS = 5000;

type Frozen = { readonly number: number; readonly agents: number; readonly isFrozen: true };

/**
 * Scores for the last time and freezes each season that has ended and whose blocks are all indexed, oldest first; each
 * begins the next if seasons follow by themselves, which may have ended meanwhile too.
 */
export async function freezeEnded(deps: IndexDeps): Promise<Frozen[]> {
  const done: Frozen[] = [];
  for (;;) {
    const season = ended(await readSeasons(deps.sql), new Date(deps.clock.now().getTime() - SETTLE_MS));
    if (season === undefined) return done;
    const block = await indexedPast(deps, season.endAt);
    if (block === null) return done;
    // Null: another replica was quicker and goes on itself, or the chain was reorganised, and it is too early.
    const agents = await withSeasonLock(deps, (sql) => freeze(deps, sql, season.number, block));
    if (agents === null) return done;
    deps.log.info({ season: season.number, agents }, 'season frozen');
    done.push({ number: season.number, agents, isFrozen: true });
  }
}

const ended = (seasons: readonly SeasonRow[], now: Date): SeasonRow | undefined =>
  seasons.find((season) => season.frozenAt === null && hasEnded(season, now));

async function freeze(deps: IndexDeps, sql: Sql, number: number, block: number): Promise<number | null> {
  const now = deps.clock.now();
  const seasons = await readSeasons(sql);
  const season = ended(seasons, now);
  const [cursor] = await sql<{ held: boolean }>(
    'select block_number >= $1::bigint and fault is null as held from indexer_cursor',
    [block],
  );
  if (season?.number !== number || cursor?.held !== true) return null;
  const agents = await computePoints(sql, seasons, season, now);
  await sql('update season set scored_at = $2, frozen_at = $2 where number = $1', [number, now.toISOString()]);
  if (deps.config.SEASON_DAYS > 0 && seasons.at(-1)?.number === number) {
    await insertSeason(sql, number + 1, followingSeason(season, deps.config.SEASON_DAYS));
  }
  return agents;
}

/** A block to which the chain is confirmed and indexed, and which no block before the moment follows; null if there is none yet. */
async function indexedPast(deps: IndexDeps, moment: Date): Promise<number | null> {
  const { blockNumber, fault } = await readCursor(deps);
  if (fault !== null) return null;
  try {
    const head = await deps.market.blockNumber();
    // A trade that its maker brought may have taken the index beyond what is confirmed.
    const block = Math.min(blockNumber, head - deps.config.confirmations);
    const time = await deps.market.blockTime(block);
    if (time !== null && time >= moment) return block;
    // The embedded chain makes a block when there is something to put into it: its next one is later than now.
    if (deps.config.chainEmbedded && block >= head) return block;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'CHAIN_UNAVAILABLE') throw error;
  }
  return null;
}
