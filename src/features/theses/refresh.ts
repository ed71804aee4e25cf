import type { SqlEntityManager } from '@mikro-orm/sql';
import type { Deps } from '../../deps.js';
import { type Sql, sqlIn } from '../../store/sql.js';
import { fromMillionths, hasFollowed, millionths, sixDecimals } from './rules.js';
import {
  daysOf,
  effectiveOf,
  FEWEST,
  type Figures,
  type JudgedCall,
  luckOf,
  marketsOf,
  scoreWithBound,
  shareOf,
} from './statistics.js';

/** Marks the records of authors whose calls or outcomes have changed. `refreshRecords` computes them again. */
export async function markStale(sql: Sql, authors: readonly string[]): Promise<void> {
  await sql(
    `insert into thesis_record (author, is_stale, figures) select distinct author, true, '{}'::jsonb from unnest($1::varchar[]) as given (author)
     order by author on conflict (author) do update set is_stale = true`,
    [authors],
  );
}

/** Whether records are stale, or the ranks. */
export const areStale = async ({ sql }: Pick<Deps, 'sql'>): Promise<boolean> =>
  (await sql('select from thesis_record where is_stale or not is_ranked limit 1')).length > 0;

/**
 * Computes all stale records again, and then all ranks. It needs no lock of the index cursor: outcomes that change meanwhile mark their
 * records as stale again.
 */
export async function refreshRecords(deps: Pick<Deps, 'write'>): Promise<void> {
  while (await deps.write(refreshOne));
  await deps.write(async (tx) => {
    const sql = sqlIn(tx);
    // Waits for those who change records, instead of meeting them in another order of rows. They lock the table before rows, too.
    await sql('lock table thesis_record in share row exclusive mode');
    await sql("delete from thesis_record where not is_stale and not is_ranked and figures = '{}'::jsonb");
    await sql(RANK);
  });
}

/** Computes the next stale record again. Returns false if there is none that nobody else computes. */
async function refreshOne(tx: SqlEntityManager): Promise<boolean> {
  const sql = sqlIn(tx);
  const [stale] = await sql<Author>(
    `update thesis_record set is_stale = false, is_ranked = false where author = (
       select author from thesis_record where is_stale order by author limit 1 for update skip locked
     ) returning author`,
  );
  if (stale) await compute(sql, stale.author);
  return stale !== undefined;
}

type Author = { readonly author: string };

async function compute(sql: Sql, author: string): Promise<void> {
  const calls = await readCalls(sql, author);
  const { figures, lowerBound, luck } = calls.length === 0 ? NO_CALLS : recordOf(author, calls);
  // The leaderboard does not wait for the ranks to lose a record that has too few calls now, or none.
  await sql(
    `update thesis_record set figures = $2, lower_bound = $3, luck = $4, rank = case when $3::int is not null then rank end
     where author = $1`,
    [author, JSON.stringify(figures), lowerBound, luck],
  );
}

/** Share of the records "beyond luck" that may be luck after all (Benjamini-Hochberg). */
const FALSE_DISCOVERIES = 0.1;

/** Ranks all records by their lower bounds. Those whose probability of luck is low enough among all are beyond luck. */
const RANK = `
  with ranked as (
    select author, luck, row_number() over (order by lower_bound desc, author) as rank,
      luck <= ${FALSE_DISCOVERIES} * row_number() over (order by luck, author) / count(*) over () as passes
    from thesis_record where lower_bound is not null
  ), wanted as (
    select author, rank, luck <= (select max(luck) from ranked where passes) as beyond from ranked
    union all select author, null, false from thesis_record where lower_bound is null
  )
  update thesis_record r set rank = wanted.rank, beyond_luck = coalesce(wanted.beyond, false), is_ranked = true
  from wanted where r.author = wanted.author
    and (r.rank, r.beyond_luck, r.is_ranked) is distinct from (wanted.rank::int, coalesce(wanted.beyond, false), true)`;

type CallRow = Omit<JudgedCall, 'excess' | 'others' | 'paid'> & {
  readonly isJudged: boolean;
  readonly move: number | null;
  readonly benchmark: number | null;
  readonly paid: boolean | null;
  readonly controls: readonly number[] | null;
  readonly fakeCost: bigint | null;
  readonly soldHalf: boolean | null;
  readonly isReversed: boolean;
};

const readCalls = (sql: Sql, author: string): Promise<CallRow[]> =>
  sql<CallRow>(
    `select d.agent, d.weight, d.confidence, d.called_at as "calledAt", d.judged_block is not null as "isJudged",
       d.move, d.benchmark, d.paid, d.controls, d.fake_cost as "fakeCost", d.sold_half as "soldHalf",
       coalesce(h.move > h.benchmark and w.move <= w.benchmark, false) as "isReversed"
     from call_outcome d
     join call_outcome h on h.tx_hash = d.tx_hash and h.ordinal = d.ordinal and h.horizon = '1h'
     join call_outcome w on w.tx_hash = d.tx_hash and w.ordinal = d.ordinal and w.horizon = '7d'
     where d.horizon = '1d' and d.author = $1 order by d.called_at, d.tx_hash, d.ordinal`,
    [author],
  );

type Computed = {
  readonly figures: Figures | Record<string, never>;
  readonly lowerBound: number | null;
  readonly luck: number | null;
};

/** Without a call there is no record: its row is deleted when ranks are computed. */
const NO_CALLS: Computed = { figures: {}, lowerBound: null, luck: null };

function recordOf(author: string, rows: readonly CallRow[]): Computed {
  const calls = rows.flatMap(judgedOf);
  const { score, lowerBound } = scoreWithBound(calls);
  const [effective, markets, days] = [effectiveOf(calls), marketsOf(calls), daysOf(calls)];
  const figures: Figures = {
    calls: rows.length,
    judged: rows.filter(({ isJudged }) => isJudged).length,
    verdicts: calls.length,
    effective: Math.round(effective * 100) / 100,
    markets,
    days,
    followed: shareOf(calls, hasFollowed),
    paid: shareOf(calls, ({ paid }) => paid),
    score: sixDecimals(score),
    lowerBound: sixDecimals(lowerBound),
    fakeCost: String(rows.reduce((sum, { fakeCost }) => sum + (fakeCost ?? 0n), 0n)),
    soldHalf: rows.filter(({ soldHalf }) => soldHalf).length,
    reversals: rows.filter(({ isReversed }) => isReversed).length,
  };
  const isEnough = effective >= FEWEST.effective && markets >= FEWEST.markets && days >= FEWEST.days;
  if (!isEnough) return { figures, lowerBound: null, luck: null };
  return { figures, lowerBound: millionths(lowerBound), luck: luckOf(author, calls) };
}

function judgedOf({ agent, weight, calledAt, move, benchmark, paid, confidence, controls }: CallRow): JudgedCall[] {
  if (move === null || benchmark === null || paid === null) return [];
  const others = (controls ?? []).map((other) => fromMillionths(other - benchmark));
  return [{ agent, weight, calledAt, excess: fromMillionths(move - benchmark), paid, confidence, others }];
}
