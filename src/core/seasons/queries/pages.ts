import type { Deps } from '../../../deps.js';
import { countsByParent, type Keyed, type Page, type Relation, rowsByParent } from '../../../store/pages.js';
import { columns, type Points, pointsIn, seasonOrCurrent } from '../queries.js';

export type StandingRow = { readonly rank: number; readonly wallet: string; readonly points: Points };

const standings: Relation = {
  columns: `p.rank, p.agent as wallet, ${columns}`,
  from: 'agent_season_points p',
  of: 'p.season',
  parent: 'int',
  keys: [
    ['p.rank', 'int8'],
    ['p.agent', 'text'],
  ],
  ascending: true,
};

/** The points of each of the seasons, by rank. */
export async function standingsBySeason(
  deps: Deps,
  seasons: readonly number[],
  page: Page,
): Promise<Map<string, Keyed<StandingRow>[]>> {
  const groups = await rowsByParent<Points & { rank: number; wallet: string }>(deps.sql, standings, seasons, page);
  return new Map(
    [...groups].map(([season, rows]) => [
      season,
      rows.map(({ rank, wallet, key, ...points }) => ({ rank, wallet, key, points: pointsIn(points) })),
    ]),
  );
}

export const standingCounts = (deps: Deps, seasons: readonly number[]) => countsByParent(deps.sql, standings, seasons);

/** The points of each agent in a season; without a number, in the one that counts now. */
export async function pointsByAgent(
  deps: Deps,
  number: number | undefined,
  wallets: readonly string[],
): Promise<Map<string, Points>> {
  const season = await seasonOrCurrent(deps, number);
  if (season === undefined) return new Map();
  const rows = await deps.sql<Points & { wallet: string }>(
    `select p.agent as wallet, ${columns} from agent_season_points p where p.season = $1 and p.agent = any($2::text[])`,
    [season.number, wallets],
  );
  return new Map(rows.map((row) => [row.wallet, pointsIn(row)]));
}
