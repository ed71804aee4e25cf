import type { Deps } from '../../deps.js';
import { AppError } from '../../errors.js';
import { atMost } from '../../store/sql.js';
import { totalOf } from '../../store/totals.js';
import { daysLeft } from './rules.js';

export type Season = {
  readonly number: number;
  readonly startAt: Date;
  readonly endAt: Date;
  /** Running now: it has begun and not ended. */
  readonly isActive: boolean;
};

/** The categories of a score in the order in which they are shown, and their columns. */
const categories = {
  pricePoints: 'price_points',
  holderPoints: 'holder_points',
  volumePoints: 'volume_points',
  holdingPoints: 'holding_points',
  crossTradingPoints: 'cross_trading_points',
  diversityPoints: 'diversity_points',
  uptimePoints: 'uptime_points',
  consistencyPoints: 'consistency_points',
  agePoints: 'age_points',
  referralPoints: 'referral_points',
  engagementPoints: 'engagement_points',
  verifiedBonus: 'verified_bonus',
  totalPoints: 'total_points',
} as const;
export type Points = { readonly [K in keyof typeof categories]: number };

const names = Object.keys(categories) as (keyof Points)[];
export const columns = names.map((name) => `p.${categories[name]} as "${name}"`).join(', ');
export const pointsIn = (row: Points): Points => Object.fromEntries(names.map((name) => [name, row[name]])) as Points;

const SEASON = 'number, start_at as "startAt", end_at as "endAt", start_at <= $1 and $1 < end_at as "isActive"';

/** All seasons, the newest first. */
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

export type Standing = {
  readonly rank: number;
  readonly name: string;
  readonly agentId: string;
  readonly wallet: string;
  readonly avatarUrl: string | null;
  readonly isClaimed: boolean;
  readonly points: Points;
};
export type SeasonStandings = {
  readonly season: number;
  readonly standings: readonly Standing[];
  readonly totalAgents: number;
  /** When the season was last scored; null before the first time. */
  readonly updatedAt: Date | null;
};

/** The points of a season as last computed, by rank. Without a number: of the season that counts now. */
export async function standings(
  deps: Deps,
  { number, page, limit }: { readonly number?: number; readonly page: number; readonly limit: number },
): Promise<SeasonStandings> {
  const season = await seasonOrCurrent(deps, number);
  if (!season) throw new AppError('SEASON_NOT_FOUND');
  const [totalAgents, rows] = await Promise.all([
    totalOf(deps, 'select count(*) as n from agent_season_points where season = $1', [season.number]),
    // An index finds the place; the wide rows are read for the page alone.
    deps.sql<Omit<Standing, 'points'> & Points>(
      `select p.rank, a.name, a.agent_id as "agentId", a.wallet, a.avatar_url as "avatarUrl",
         a.claimed_at is not null as "isClaimed", ${columns}
       from (
         select * from (
           select agent, rank from agent_season_points where season = $1 order by rank, agent limit $2 offset $3
         ) page ${atMost(limit)}
       ) place
       cross join lateral (select * from agent_season_points where season = $1 and agent = place.agent offset 0) p
       cross join lateral (select * from agent where wallet = place.agent offset 0) a
       order by place.rank, place.agent`,
      [season.number, limit, (page - 1) * limit],
    ),
  ]);
  return {
    season: season.number,
    standings: rows.map(({ rank, name, agentId, wallet, avatarUrl, isClaimed, ...points }) => ({
      rank,
      name,
      agentId,
      wallet,
      avatarUrl,
      isClaimed,
      points: pointsIn(points),
    })),
    totalAgents,
    updatedAt: season.scoredAt,
  };
}

/** The points of an agent in the season that counts now; null before it is scored in it. */
export async function pointsOf(deps: Deps, wallet: string): Promise<Points | null> {
  const season = await seasonOrCurrent(deps, undefined);
  if (!season) return null;
  const [row] = await deps.sql<Points>(
    `select ${columns} from agent_season_points p where p.season = $1 and p.agent = $2`,
    [season.number, wallet],
  );
  return row ? pointsIn(row) : null;
}

/** The season of a number; without one, that which is active, or else the latest that has begun. */
export async function seasonOrCurrent(
  deps: Deps,
  number: number | undefined,
): Promise<{ readonly number: number; readonly scoredAt: Date | null } | undefined> {
  const [season] =
    number === undefined
      ? await deps.sql<{ number: number; scoredAt: Date | null }>(
          'select number, scored_at as "scoredAt" from season where start_at <= $1 order by number desc limit 1',
          [deps.clock.now()],
        )
      : await deps.sql<{ number: number; scoredAt: Date | null }>(
          'select number, scored_at as "scoredAt" from season where number = $1',
          [number],
        );
  return season;
}
