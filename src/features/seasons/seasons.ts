import type { Deps } from '../../deps.js';
import { daysLeft, overdueMs, type Progress, type Span } from './rules.js';

export type Season = Span & {
  readonly number: number;
  /** Whether the season is running now. */
  readonly isActive: boolean;
};

const SEASON = 'number, start_at as "startAt", end_at as "endAt", start_at <= $1 and $1 < end_at as "isActive"';

/** All seasons, newest first. */
export async function listSeasons(
  deps: Pick<Deps, 'sql' | 'clock'>,
): Promise<(Season & { readonly isFrozen: boolean; readonly agentCount: number })[]> {
  return deps.sql(
    `select ${SEASON}, frozen_at is not null as "isFrozen",
       (select count(*) from agent_season_points p where p.season = number) as "agentCount"
     from season order by number desc`,
    [deps.clock.now()],
  );
}

export async function activeSeason(deps: Deps): Promise<(Season & { readonly daysLeft: number }) | null> {
  const now = deps.clock.now();
  const [season] = await deps.sql<Season>(`select ${SEASON} from season where start_at <= $1 and $1 < end_at`, [now]);
  return season ? { ...season, daysLeft: daysLeft(season, now) } : null;
}

/** The season with a number. Without a number: the running season, else the latest one that has started. */
export async function seasonOrCurrent(
  deps: Pick<Deps, 'sql' | 'clock'>,
  number?: number,
): Promise<{ readonly number: number; readonly scoredAt: Date | null } | undefined> {
  const [where, value] = number === undefined ? ['start_at <= $1', deps.clock.now()] : ['number = $1', number];
  const [season] = await deps.sql<{ number: number; scoredAt: Date | null }>(
    `select number, scored_at as "scoredAt" from season where ${where} order by number desc limit 1`,
    [value],
  );
  return season;
}

/** Time for which the scoring or freezing of a season has been due, in seconds. 0 if nothing is due. */
export async function scoringOverdue(deps: Pick<Deps, 'sql' | 'clock'>): Promise<number> {
  const now = deps.clock.now();
  const seasons = await deps.sql<Progress>(
    `select start_at as "startAt", end_at as "endAt", scored_at as "scoredAt"
     from season where frozen_at is null and start_at <= $1`,
    [now],
  );
  return Math.max(0, ...seasons.map((season) => overdueMs(season, now))) / 1000;
}
