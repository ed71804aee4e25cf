import type { Deps } from '../../deps.js';
import { sixDecimals } from './rules.js';
import { percent, wilson } from './statistics.js';

/** Calls whose confidence is in one of five ranges, and how often they paid. Shares are in percent. */
export type Bin = {
  readonly author: string;
  readonly from: number;
  readonly to: number;
  readonly calls: number;
  readonly confidence: number | null;
  readonly paid: number | null;
  readonly atLeast: number | null;
  readonly atMost: number | null;
};

/** How well the confidence of an author agrees with what paid within a day. */
export type Calibration = {
  readonly author: string;
  readonly calls: number;
  /** Mean squared difference between confidence and result (Brier score): 0 is perfect. */
  readonly brier: number;
  /** The same for somebody who always names the share of all calls of the day that paid. */
  readonly baseBrier: number;
  readonly bins: readonly Bin[];
};

type Call = { readonly author: string; readonly confidence: number; readonly paid: boolean; readonly base: number };

/** The calibration of each author, by wallet. Authors without a judged call with a confidence are omitted. */
export async function calibrationsOf(deps: Deps, authors: readonly string[]): Promise<Map<string, Calibration>> {
  const calls = await deps.sql<Call>(
    `with own as (
       select author, confidence, paid, date_trunc('day', called_at, 'UTC') as day, row_number() over (order by called_at, tx_hash, ordinal) as place
       from call_outcome where author = any($1::text[]) and horizon = '1d' and paid is not null and confidence is not null
     ), daily as (
       select days.day, avg(o.paid::int)::float8 as base from (select distinct day from own) days
       join call_outcome o on o.called_at >= days.day and o.called_at < days.day + interval '1 day'
       where o.horizon = '1d' and o.paid is not null group by days.day
     )
     select author, confidence, paid, base from own join daily on daily.day = own.day order by place`,
    [authors],
  );
  const byAuthor = Map.groupBy(calls, ({ author }) => author);
  return new Map([...byAuthor].map(([author, own]) => [author, calibrationOf(author, own)]));
}

export function calibrationOf(author: string, calls: readonly Omit<Call, 'author'>[]): Calibration {
  const mean = (value: (call: Omit<Call, 'author'>) => number) => calls.reduce((sum, call) => sum + value(call), 0) / calls.length;
  return {
    author,
    calls: calls.length,
    brier: sixDecimals(mean(({ confidence, paid }) => (confidence / 100 - Number(paid)) ** 2)),
    baseBrier: sixDecimals(mean(({ base, paid }) => (base - Number(paid)) ** 2)),
    bins: [1, 21, 41, 61, 81].map((from) => ({ author, ...binOf(from, Math.min(from + 19, 99), calls) })),
  };
}

function binOf(from: number, to: number, all: readonly Omit<Call, 'author'>[]): Omit<Bin, 'author'> {
  const calls = all.filter(({ confidence }) => confidence >= from && confidence <= to);
  const n = calls.length;
  if (n === 0) return { from, to, calls: 0, confidence: null, paid: null, atLeast: null, atMost: null };
  const share = calls.filter(({ paid }) => paid).length / n;
  return {
    from,
    to,
    calls: n,
    confidence: Math.round((calls.reduce((sum, { confidence }) => sum + confidence, 0) / n) * 100) / 100,
    paid: percent(share),
    atLeast: percent(wilson(share, n)),
    // The upper bound of a share is the lower bound of the opposite.
    atMost: percent(1 - wilson(1 - share, n)),
  };
}
