import type { Deps } from '../../deps.js';
import { type Keyed, type List, type Page, rowsOf, selected } from '../../store/pages.js';
import type { Figures } from './statistics.js';

/** The record of an author, with the names of its agent. These are null if the wallet is not an agent of this service. */
export type RecordRow = {
  readonly author: string;
  readonly name: string | null;
  readonly agentId: string | null;
  readonly rank: number | null;
  readonly luck: number | null;
  readonly beyondLuck: boolean;
  readonly figures: Figures;
};

const columns = {
  author: 'r.author',
  name: 'a.name',
  agentId: 'a.agent_id',
  rank: 'r.rank',
  luck: 'r.luck',
  beyondLuck: 'r.beyond_luck',
  figures: 'r.figures',
};
const FROM = 'thesis_record r left join agent a on a.wallet = r.author';

const ranked: List = { columns, from: FROM, where: 'r.rank is not null', keys: [['r.rank', 'int4']], ascending: true };

/** A page of the ranked records, best first. */
export const rankedRecords = (deps: Deps, page: Page): Promise<Keyed<RecordRow>[]> => rowsOf<RecordRow>(deps.sql, ranked, page);

export async function rankedTotal(deps: Deps): Promise<number> {
  const [row] = await deps.sql<{ total: number }>('select count(*) as total from thesis_record where rank is not null');
  return row?.total ?? 0;
}

/** The record of each author, by wallet. Authors without a call are omitted. */
export async function recordsOf(deps: Deps, authors: readonly string[]): Promise<Map<string, RecordRow>> {
  const rows = await deps.sql<RecordRow>(
    // A record that has not been computed yet has no figures.
    `select ${selected(columns)} from ${FROM} where r.author = any($1::text[]) and r.figures <> '{}'::jsonb`,
    [authors],
  );
  return new Map(rows.map((row) => [row.author, row]));
}
