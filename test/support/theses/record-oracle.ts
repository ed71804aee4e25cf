import { createHash } from 'node:crypto';
import type { Fact, Traded } from '../../../src/chain/logs/facts.js';
import { seeded } from '../seed.js';
import type { ExpectedThesis } from './call-oracle.js';

// The records of authors, computed from the formulas of docs/theses.md without the code of the service.

type Call = {
  readonly author: string;
  readonly trade: Traded;
  readonly w: number;
  readonly x: number;
  readonly paid: boolean;
  readonly draws: readonly number[];
};

export type ExpectedRecord = {
  readonly author: string;
  readonly figures: object;
  readonly luck: number | null;
  readonly rank: number | null;
  readonly beyondLuck: boolean;
};

// `+ 0` turns -0 into 0.
const round = (value: number, digits: number): number => Math.round(value * 10 ** digits) / 10 ** digits + 0;
const total = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);

/** The records of all authors with a call, in the order of their wallets. */
export function recordOracle(facts: readonly Fact[], theses: ReadonlyMap<string, ExpectedThesis>): ExpectedRecord[] {
  const trades = new Map(facts.flatMap((fact) => (fact.kind === 'bought' || fact.kind === 'sold' ? [[fact.txHash, fact]] : [])));
  const called = [...theses].filter(([, { eligibility }]) => eligibility === 'counts');
  const ofAuthors = Map.groupBy(called, ([hash]) => trades.get(hash)?.trader ?? '');
  const records = [...ofAuthors]
    .map(([author, own]) =>
      recordOf(
        author,
        own.map(([hash, thesis]) => ({ trade: trades.get(hash) as Traded, ...thesis })),
      ),
    )
    .sort((a, b) => (a.author < b.author ? -1 : 1));
  const ranked = records.filter(({ luck }) => luck !== null);
  const byBound = ranked.toSorted((a, b) => b.lowerBound - a.lowerBound || (a.author < b.author ? -1 : 1));
  // Benjamini-Hochberg: the largest k whose k-th smallest probability is at most k / m times 10 %.
  const byLuck = ranked.map(({ luck }) => luck ?? 1).sort((a, b) => a - b);
  const limit = byLuck.findLast((luck, i) => luck <= (0.1 * (i + 1)) / byLuck.length) ?? -1;
  return records.map(({ author, figures, luck }) => {
    const place = byBound.findIndex((one) => one.author === author);
    return { author, figures, luck, rank: place < 0 ? null : place + 1, beyondLuck: luck !== null && luck <= limit };
  });
}

function recordOf(author: string, own: readonly (ExpectedThesis & { readonly trade: Traded })[]) {
  const inOrder = own.toSorted(
    (a, b) => a.trade.time.getTime() - b.trade.time.getTime() || (a.trade.txHash < b.trade.txHash ? -1 : 1),
  );
  const at = ({ outcomes }: ExpectedThesis, horizon: string) => outcomes.find((one) => one.horizon === horizon);
  const calls: Call[] = inOrder.flatMap((thesis) => {
    const day = at(thesis, '1d');
    if (day === undefined || day.benchmark === null || day.paid === null) return [];
    const { benchmark } = day;
    const draws = (day.controls ?? []).map((one) => (one - benchmark) / 1e6);
    return [{ author, trade: thesis.trade, w: day.weight, x: (day.move - benchmark) / 1e6, paid: day.paid, draws }];
  });
  const sumW = total(calls.map(({ w }) => w));
  const sumWw = total(calls.map(({ w }) => w * w));
  const effective = sumWw === 0 ? 0 : sumW ** 2 / sumWw;
  const scoreOf = (xs: readonly number[]) => total(xs.map((x, i) => (calls[i]?.w ?? 0) * x)) / (sumW + 10 * 500);
  const score = scoreOf(calls.map(({ x }) => x));
  const n = calls.length;
  const mean = n === 0 ? 0 : total(calls.map(({ w, x }) => w * x)) / sumW;
  // (n - 1) times the weighted sample variance, which is n / (n - 1) times the weighted mean square.
  const squares = n === 0 ? 0 : (n * total(calls.map(({ w, x }) => w * (x - mean) ** 2))) / sumW;
  const s2 = (10 * 0.25 + squares) / (9 + Math.max(1, n));
  const lowerBound = score - (1.645 * Math.sqrt(s2)) / Math.sqrt(effective + 10);
  const share = (holds: (call: Call) => boolean) => {
    if (n === 0) return { percent: null, atLeast: null };
    const p = total(calls.filter(holds).map(({ w }) => w)) / sumW;
    const z = 1.645;
    const spread = z * Math.sqrt((p * (1 - p)) / effective + z ** 2 / (4 * effective ** 2));
    return {
      percent: round(p * 100, 2),
      atLeast: round(((p + z ** 2 / (2 * effective) - spread) / (1 + z ** 2 / effective)) * 100, 2),
    };
  };
  const markets = new Set(calls.map(({ trade }) => trade.agent)).size;
  const days = new Set(calls.map(({ trade }) => trade.time.toISOString().slice(0, 10))).size;
  const judged = own.flatMap((thesis) => at(thesis, '1d') ?? []);
  const figures = {
    calls: own.length,
    judged: judged.length,
    verdicts: n,
    effective: round(effective, 2),
    markets,
    days,
    followed: share(({ x }) => x > 0),
    paid: share(({ paid }) => paid),
    score: round(score, 6),
    lowerBound: round(lowerBound, 6),
    fakeCost: String(judged.reduce((sum, { fakeCost }) => sum + BigInt(fakeCost ?? 0), 0n)),
    soldHalf: judged.filter(({ soldHalf }) => soldHalf).length,
    reversals: own.filter((thesis) => {
      const [hour, week] = [at(thesis, '1h'), at(thesis, '7d')];
      if (hour?.benchmark == null || week?.benchmark == null) return false;
      return hour.move > hour.benchmark && week.move <= week.benchmark;
    }).length,
  };
  const isEnough = effective >= 10 && markets >= 5 && days >= 5;
  return { author, figures, lowerBound: round(lowerBound, 6), luck: isEnough ? luckOf(author, calls) : null };
}

function luckOf(author: string, calls: readonly Call[]): number {
  const day = calls
    .map(({ trade }) => trade.time.toISOString().slice(0, 10))
    .sort()
    .at(-1);
  const random = seeded(createHash('sha256').update(`${author}:${day}`).digest().readUInt32BE());
  const made = total(calls.map(({ w, x }) => w * x));
  let asGood = 1;
  for (let draw = 0; draw < 999; draw++) {
    if (total(calls.map(({ w, draws }) => w * (draws[Math.floor(random() * draws.length)] ?? 0))) >= made) asGood++;
  }
  return asGood / 1000;
}
