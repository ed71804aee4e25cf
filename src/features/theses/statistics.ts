import { createHash } from 'node:crypto';
import { FULL_WEIGHT, utcDay } from './rules.js';

// What the calls of an author amount to. docs/theses.md explains the formulas. Times and wallets decide all choices, so the same
// outcomes give the same figures, to the last digit.

/** A call that was judged after one day, with a verdict. */
export type JudgedCall = {
  readonly agent: string;
  /** Weight, a whole number up to FULL_WEIGHT. */
  readonly weight: number;
  readonly calledAt: Date;
  /** Move of the market less that of comparable markets, as a natural logarithm. */
  readonly excess: number;
  readonly paid: boolean;
  readonly confidence: number | null;
  /** What `excess` would have been in each of the comparable markets. */
  readonly others: readonly number[];
};

/** A share in percent, and its lower bound with 95 % confidence. Both are null without calls. */
export type Share = { readonly percent: number | null; readonly atLeast: number | null };

export type Figures = {
  /** All calls, also open ones. */
  readonly calls: number;
  /** Calls that were judged, also without a verdict. */
  readonly judged: number;
  readonly verdicts: number;
  /** Number of equally weighted calls that would tell as much. */
  readonly effective: number;
  readonly markets: number;
  readonly days: number;
  readonly followed: Share;
  readonly paid: Share;
  readonly score: number;
  readonly lowerBound: number;
  /** Fees in wei that it would take at least to fake the calls that paid. */
  readonly fakeCost: string;
  /** Calls after which the author sold at least half of the tickets within the day. */
  readonly soldHalf: number;
  /** Calls that the market followed after 1 hour, but not after 7 days. */
  readonly reversals: number;
};

/** Quantile of the normal distribution for one-sided bounds of 95 %. */
const Z = 1.645;
/** The prior: as much as ten calls of full weight without an excess, with a standard deviation of 0.5. */
const PRIOR = 10;
const PRIOR_VARIANCE = 0.25;

/** A record is ranked from this many effective calls, in this many markets and on this many days, UTC. */
export const FEWEST = { effective: 10, markets: 5, days: 5 } as const;

const sum = <T>(list: readonly T[], value: (one: T) => number): number => list.reduce((total, one) => total + value(one), 0);

/** Lower bound of a share of `n` cases by Wilson. */
export function wilson(share: number, n: number): number {
  const spread = Z * Math.sqrt((share * (1 - share)) / n + (Z * Z) / (4 * n * n));
  return (share + (Z * Z) / (2 * n) - spread) / (1 + (Z * Z) / n);
}

type Weighted = Pick<JudgedCall, 'weight'>;

const weightOfAll = (calls: readonly Weighted[]): number => sum(calls, ({ weight }) => weight);

/** Number of equal calls that would tell as much. Exact if it is whole, because weights are whole. */
export const effectiveOf = (calls: readonly Weighted[]): number => {
  const squares = sum(calls, ({ weight }) => weight ** 2);
  return squares === 0 ? 0 : weightOfAll(calls) ** 2 / squares;
};

/** The score of calls, shrunk towards 0 by the prior, and its lower bound. */
export function scoreWithBound(calls: readonly (Weighted & Pick<JudgedCall, 'excess'>)[]): { score: number; lowerBound: number } {
  const n = calls.length;
  const total = weightOfAll(calls);
  const weighted = sum(calls, ({ weight, excess }) => weight * excess);
  const score = weighted / (total + PRIOR * FULL_WEIGHT);
  const mean = n === 0 ? 0 : weighted / total;
  const squares = n === 0 ? 0 : (n * sum(calls, ({ weight, excess }) => weight * (excess - mean) ** 2)) / total;
  const variance = (PRIOR * PRIOR_VARIANCE + squares) / (PRIOR - 1 + Math.max(n, 1));
  return { score, lowerBound: score - (Z * Math.sqrt(variance)) / Math.sqrt(effectiveOf(calls) + PRIOR) };
}

/** The share of calls for which `holds` is true, by weight. */
export function shareOf<T extends Weighted>(calls: readonly T[], holds: (call: T) => boolean): Share {
  if (calls.length === 0) return { percent: null, atLeast: null };
  const share = weightOfAll(calls.filter(holds)) / weightOfAll(calls);
  return { percent: percent(share), atLeast: percent(wilson(share, effectiveOf(calls))) };
}

export const percent = (share: number): number => Math.round(share * 10_000) / 100;

export const marketsOf = (calls: readonly Pick<JudgedCall, 'agent'>[]): number => new Set(calls.map(({ agent }) => agent)).size;
export const daysOf = (calls: readonly Pick<JudgedCall, 'calledAt'>[]): number =>
  new Set(calls.map(({ calledAt }) => utcDay(calledAt))).size;

/** Number of random records that a record is compared with. */
const DRAWS = 999;

/**
 * Probability that a record is luck: the share of random records with at least its score, among them itself. A random record has
 * the same calls at the same times, each in a market that is drawn from those comparable with it.
 */
export function luckOf(author: string, calls: readonly JudgedCall[]): number {
  const newest = calls.reduce((latest, { calledAt }) => (calledAt > latest ? calledAt : latest), new Date(0));
  const random = drawing(`${author}:${utcDay(newest)}`);
  // The weights are the same in all records, so their sums decide.
  const made = sum(calls, ({ weight, excess }) => weight * excess);
  let asGood = 1;
  for (let draw = 0; draw < DRAWS; draw++) {
    const drawn = sum(calls, ({ weight, others }) => weight * (others[Math.floor(random() * others.length)] ?? 0));
    if (drawn >= made) asGood += 1;
  }
  return asGood / (DRAWS + 1);
}

/** Numbers in [0, 1) that follow from a seed. This is mulberry32. */
function drawing(seed: string): () => number {
  let state = createHash('sha256').update(seed).digest().readUInt32BE();
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
