import type { Deps } from '../../deps.js';
import { type ByParent, countsByParent, type Page, type Relation, rowsByParent, selected } from '../../store/pages.js';
import { totalOf } from '../../store/totals.js';
import type { Wei } from '../../values/money.js';
import { seasonOrCurrent } from './seasons.js';

const categories = [
  ...(['pricePoints', 'holderPoints', 'volumePoints', 'holdingPoints', 'crossTradingPoints'] as const),
  ...(['diversityPoints', 'uptimePoints', 'consistencyPoints', 'agePoints', 'referralPoints'] as const),
  ...(['engagementPoints', 'verifiedBonus', 'totalPoints'] as const),
];
export type Points = Readonly<Record<'season' | (typeof categories)[number], number>>;
export type SeasonPoints = Points & { readonly wallet: string };

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Columns of the points of an agent in a season, by category. */
const columns = {
  season: 'p.season',
  wallet: 'p.agent',
  ...Object.fromEntries(categories.map((name) => [name, `p.${snakeCase(name)}`])),
};

/** Rank and points of an agent without what possibly linked wallets gave. Volumes are in wei. */
export type UnlinkedRow = {
  readonly rank: number;
  readonly totalPoints: number;
  /** Points with what they gave. */
  readonly allPoints: number;
  readonly linkedWallets: number;
  readonly volume: Wei;
  readonly roundTrips: Wei;
};

/** Rank and points of an agent in a season. `withoutLinks` is null until links are computed after the points. */
export type StandingRow = {
  readonly rank: number;
  readonly wallet: string;
  readonly points: SeasonPoints;
  readonly withoutLinks: UnlinkedRow | null;
};

/** What a list of standings is sorted by. */
export const standingOrders = ['points', 'withoutLinks'] as const;
export type StandingOrder = (typeof standingOrders)[number];

const tables: Readonly<Record<StandingOrder, string>> = { points: 'agent_season_points', withoutLinks: 'unlinked_standing' };

/** Standings of a season by rank. The page is found in an index first; then only the wide rows of this page are read. */
const listIn = (table: string): Relation => ({
  columns: {
    rank: 'p.rank',
    ...columns,
    unlinkedRank: 'u.rank',
    unlinkedPoints: 'u.total_points',
    linkedWallets: 'u.linked_wallets',
    volume: 'u.volume',
    roundTrips: 'u.round_trips',
  },
  from: `${table} s`,
  of: 's.season',
  parent: 'int',
  keys: [
    ['s.rank', 'int8'],
    ['s.agent', 'text'],
  ],
  ascending: true,
  late: {
    find: 's.season, s.rank, s.agent',
    joins: `cross join lateral (
      select * from agent_season_points where season = page.season and agent = page.agent offset 0) p
      left join unlinked_standing u on u.season = page.season and u.agent = page.agent and u.computed_at = p.computed_at`,
  },
});
const lists: Readonly<Record<StandingOrder, Relation>> = {
  points: listIn(tables.points),
  withoutLinks: listIn(tables.withoutLinks),
};

/** The agents of each season by rank, with their points as last computed. */
export async function standings(
  deps: Deps,
  seasons: readonly number[],
  { order = 'points', ...page }: Page & { readonly order?: StandingOrder },
): Promise<ByParent<StandingRow>> {
  type Row = SeasonPoints &
    Omit<UnlinkedRow, 'rank' | 'totalPoints' | 'allPoints'> & {
      readonly rank: number;
      readonly unlinkedRank: number | null;
      readonly unlinkedPoints: number;
    };
  const groups = await rowsByParent<Row>(deps.sql, lists[order], seasons, page);
  const unlinkedOf = ({ unlinkedRank: rank, unlinkedPoints: totalPoints, totalPoints: allPoints, ...row }: Row) =>
    rank === null ? null : { ...row, rank, totalPoints, allPoints };
  return new Map(
    [...groups].map(([season, rows]) => [season, rows.map((row) => ({ ...row, points: row, withoutLinks: unlinkedOf(row) }))]),
  );
}

export const standingTotals = (deps: Deps, seasons: readonly number[], order: StandingOrder): Promise<Map<string, number>> =>
  countsByParent(deps.sql, lists[order], seasons);

/** Number of ranked agents in a season, from the cache of totals. */
export const standingTotal = (deps: Deps, season: number, order: StandingOrder): Promise<number> =>
  totalOf(deps, `select count(*) as n from ${tables[order]} where season = $1`, [season]);

/** The points of each agent in a season, by wallet. Without `number`, in the current season. Agents without points are omitted. */
export async function readPoints(deps: Deps, wallets: readonly string[], number?: number): Promise<Map<string, SeasonPoints>> {
  const season = await seasonOrCurrent(deps, number);
  if (season === undefined) return new Map();
  const rows = await deps.sql<SeasonPoints>(
    `select ${selected(columns)}
     from agent_season_points p where p.season = $1 and p.agent = any($2::text[])`,
    [season.number, wallets],
  );
  return new Map(rows.map((row) => [row.wallet, row]));
}
