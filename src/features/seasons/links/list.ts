import type { Deps } from '../../../deps.js';
import { type Keyed, type List, type Page, rowsOf } from '../../../store/pages.js';
import type { Sign } from './rules.js';

export type SignRow = Pick<Sign, 'wallet' | 'kind' | 'about' | 'figure'> & {
  /** Name of the other wallet. null if it is not an agent of this service. */
  readonly aboutName: string | null;
};

/** A wallet that is possibly linked with another. */
export type LinkRow = {
  /** The wallet with which it is linked. */
  readonly of: string;
  readonly wallet: string;
  /** Names of its agent. null if it is not an agent of this service. */
  readonly name: string | null;
  readonly agentId: string | null;
  readonly signs: readonly SignRow[];
};

/** Maximum number of signs that are shown of a wallet. */
const SHOWN_SIGNS = 10;

/** The wallets that are linked with the wallet `$1`, with the clusters that they share. */
const LINKED = `
  select other.wallet, array_agg(other.cluster) as clusters
  from linked_wallet mine join linked_wallet other on other.cluster = mine.cluster
  where mine.wallet = $1 and other.wallet <> $1
  group by other.wallet`;

const links = (wallet: string): List => ({
  columns: { of: '$1::text', wallet: 'page.wallet', name: 'a.name', agentId: 'a.agent_id', signs: 'shown.signs' },
  from: `(${LINKED}) l`,
  keys: [['l.wallet', 'text']],
  ascending: true,
  values: [wallet],
  late: {
    find: 'l.wallet, l.clusters',
    joins: `left join agent a on a.wallet = page.wallet
      cross join lateral (
        select coalesce(jsonb_agg(jsonb_build_object('wallet', s.wallet, 'kind', s.kind, 'about', s.about, 'figure', s.figure,
          'aboutName', named.name) order by s.about = $1 desc, s.kind, s.about), '[]'::jsonb) as signs
        from (
          select * from link_sign where wallet = page.wallet and cluster = any(page.clusters)
          order by about = $1 desc, kind, about limit ${SHOWN_SIGNS}
        ) s left join agent named on named.wallet = s.about
      ) shown`,
  },
});

/** A page of the wallets that are possibly linked with a wallet, by address. */
export const linksOfWallet = (deps: Deps, wallet: string, page: Page): Promise<Keyed<LinkRow>[]> =>
  rowsOf<LinkRow>(deps.sql, links(wallet), page);

export async function linkTotal(deps: Deps, wallet: string): Promise<number> {
  const [row] = await deps.sql<{ total: number }>('select links as total from linked_wallet where wallet = $1 limit 1', [wallet]);
  return row?.total ?? 0;
}

/** Time of the points with which links were last computed. null before the first time. */
export async function linksComputedAt({ sql }: Pick<Deps, 'sql'>): Promise<Date | null> {
  const [row] = await sql<{ at: Date }>('select computed_at as at from unlinked_standing order by season desc, agent limit 1');
  return row?.at ?? null;
}
