import type { TradeReason } from '../../errors.js';

/** The parts of a trade that a submission names. */
export type TradeParts = {
  readonly sale: boolean;
  readonly trader: string;
  readonly agent: string;
  readonly amount: number;
};

/** The parts in the order of comparison, each with the reason for a mismatch. */
const steps = [
  ['sale', 'WRONG_EVENT'],
  ['trader', 'NOT_YOURS'],
  ['agent', 'WRONG_AGENT'],
  ['amount', 'WRONG_AMOUNT'],
] as const satisfies readonly (readonly [keyof TradeParts, TradeReason])[];

/** True if the trade matches the submission. */
export const matchesSubmission = (trade: TradeParts, submission: TradeParts): boolean =>
  steps.every(([part]) => trade[part] === submission[part]);

/**
 * The reason why no trade of a transaction matches a submission: the first part in which the closest trade differs. A trade
 * is closer the more parts agree in the order of comparison.
 */
export function mismatchReason(trades: readonly TradeParts[], submission: TradeParts): TradeReason {
  let closest = trades;
  for (const [part, reason] of steps) {
    closest = closest.filter((trade) => trade[part] === submission[part]);
    if (closest.length === 0) return reason;
  }
  throw new Error('a trade matches the submission');
}
