import type { Deps } from '../../deps.js';
import type { Sql } from '../../store/sql.js';
import { daysLeft, hasBegun, isRunning, overdueMs, type Span } from './rules.js';

export type SeasonRow = Span & {
  readonly number: number;
  readonly scoredAt: Date | null;
  readonly frozenAt: Date | null;
};

/** A season as answers show it. */
export type Season = Span & { readonly number: number; readonly isActive: boolean; readonly isFrozen: boolean };
/** A season in a list. `agentCount` is the number of agents that have points in it. */
export type ListedSeason = Season & { readonly agentCount: number };

type Reads = Pick<Deps, 'sql' | 'clock'>;

/** All seasons, oldest first. There are few, so they are read without pages. */
export const readSeasons = (sql: Sql): Promise<SeasonRow[]> =>
  sql(
    `select number, start_at as "startAt", end_at as "endAt", scored_at as "scoredAt", frozen_at as "frozenAt"
     from season order by number`,
  );

export function stateOf({ number, startAt, endAt, frozenAt }: Omit<SeasonRow, 'scoredAt'>, now: Date): Season {
  return { number, startAt, endAt, isActive: isRunning({ startAt, endAt }, now), isFrozen: frozenAt !== null };
}

/** All seasons, newest first, with the number of agents that have points in each. */
export async function listSeasons({ sql, clock }: Reads): Promise<ListedSeason[]> {
  return sql(
    `select number, start_at as "startAt", end_at as "endAt", start_at <= $1 and $1 < end_at as "isActive",
       frozen_at is not null as "isFrozen",
       (select count(*) from agent_season_points p where p.season = number) as "agentCount"
     from season order by number desc`,
    [clock.now()],
  );
}

export async function readActiveSeason({ sql, clock }: Reads): Promise<(Season & { readonly daysLeft: number }) | null> {
  const now = clock.now();
  const season = (await readSeasons(sql)).find((row) => isRunning(row, now));
  return season ? { ...stateOf(season, now), daysLeft: daysLeft(season, now) } : null;
}

/** The season with the given number. Without a number, the running season, or else the latest season that has started. */
export async function seasonOrCurrent({ sql, clock }: Reads, number?: number): Promise<SeasonRow | undefined> {
  const now = clock.now();
  const seasons = await readSeasons(sql);
  return seasons.findLast((row) => (number === undefined ? hasBegun(row, now) : row.number === number));
}

/** Seconds for which the scoring or freezing of a season has been overdue, for the most overdue season. 0 if nothing is due. */
export async function scoringOverdue({ sql, clock }: Reads): Promise<number> {
  const now = clock.now();
  const open = (await readSeasons(sql)).filter((season) => season.frozenAt === null && hasBegun(season, now));
  return Math.max(0, ...open.map((season) => overdueMs(season, now))) / 1000;
}
