import type { SqlEntityManager } from '@mikro-orm/sql';
import { insertMany, type Sql, sqlIn } from '../../store/sql.js';
import { FULL_WEIGHT } from './rules.js';
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

/** Maximum number of records that one call computes. */
const RECORDS_PER_STEP = 20;

/** Computes the next stale records again, and with the last of them all ranks. Returns the number of these records. */
export async function refreshRecords(tx: SqlEntityManager): Promise<number> {
  const sql = sqlIn(tx);
  const stale = await sql<{ author: string }>(
    `select author from thesis_record where is_stale order by author limit ${RECORDS_PER_STEP} for update`,
  );
  if (stale.length === 0) return 0;
  const authors = stale.map(({ author }) => author);
  const calls = Map.groupBy(await readCalls(sql, authors), ({ author }) => author);
  const records = authors.map((author) => ({ author, ...recordOf(author, calls.get(author) ?? []) }));
  await insertMany(
    sql,
    'thesis_record',
    {
      author: ['varchar', authors],
      is_stale: ['boolean', records.map(() => 'false')],
      figures: ['jsonb', records.map(({ figures }) => JSON.stringify(figures))],
      lower_bound: ['int4', records.map(({ lowerBound }) => lowerBound)],
      luck: ['float8', records.map(({ luck }) => luck)],
    },
    `on conflict (author) do update set is_stale = false, figures = excluded.figures, lower_bound = excluded.lower_bound,
       luck = excluded.luck`,
  );
  const left = await sql('select from thesis_record where is_stale limit 1');
  if (left.length === 0) await sql(RANK);
  return stale.length;
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
  update thesis_record r set rank = wanted.rank, beyond_luck = coalesce(wanted.beyond, false)
  from wanted where r.author = wanted.author and (r.rank, r.beyond_luck) is distinct from (wanted.rank::int, coalesce(wanted.beyond, false))`;

type CallRow = Omit<JudgedCall, 'excess' | 'others' | 'weight' | 'paid'> & {
  readonly author: string;
  readonly weight: number;
  readonly isJudged: boolean;
  readonly move: number | null;
  readonly benchmark: number | null;
  readonly paid: boolean | null;
  readonly controls: readonly number[] | null;
  readonly fakeCost: bigint | null;
  readonly soldHalf: boolean | null;
  readonly isReversed: boolean;
};

const readCalls = (sql: Sql, authors: readonly string[]): Promise<CallRow[]> =>
  sql<CallRow>(
    `select d.author, d.agent, d.weight, d.confidence, d.called_at as "calledAt", d.judged_block is not null as "isJudged",
       d.move, d.benchmark, d.paid, d.controls, d.fake_cost as "fakeCost", d.sold_half as "soldHalf",
       coalesce(h.move > h.benchmark and w.move <= w.benchmark, false) as "isReversed"
     from call_outcome d
     join call_outcome h on h.tx_hash = d.tx_hash and h.ordinal = d.ordinal and h.horizon = '1h'
     join call_outcome w on w.tx_hash = d.tx_hash and w.ordinal = d.ordinal and w.horizon = '7d'
     where d.horizon = '1d' and d.author = any($1::varchar[]) order by d.called_at, d.tx_hash, d.ordinal`,
    [authors],
  );

const MILLION = 1_000_000;

type Computed = { readonly figures: Figures; readonly lowerBound: number | null; readonly luck: number | null };

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
    followed: shareOf(calls, ({ excess }) => excess > 0),
    paid: shareOf(calls, ({ paid }) => paid),
    score: Math.round(score * MILLION) / MILLION,
    lowerBound: Math.round(lowerBound * MILLION) / MILLION,
    fakeCost: String(rows.reduce((sum, { fakeCost }) => sum + (fakeCost ?? 0n), 0n)),
    soldHalf: rows.filter(({ soldHalf }) => soldHalf).length,
    reversals: rows.filter(({ isReversed }) => isReversed).length,
  };
  const isEnough = effective >= FEWEST.effective && markets >= FEWEST.markets && days >= FEWEST.days;
  if (!isEnough) return { figures, lowerBound: null, luck: null };
  return { figures, lowerBound: Math.round(lowerBound * MILLION), luck: luckOf(author, calls) };
}

function judgedOf({ agent, weight, calledAt, move, benchmark, paid, confidence, controls }: CallRow): JudgedCall[] {
  if (move === null || benchmark === null || paid === null) return [];
  const others = (controls ?? []).map((other) => (other - benchmark) / MILLION);
  return [{ agent, weight: weight / FULL_WEIGHT, calledAt, excess: (move - benchmark) / MILLION, paid, confidence, others }];
}
