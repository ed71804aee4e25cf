import type { TradeReason } from '../../errors.js';

/** A trade, as far as a submission names it. */
export type TradeParts = {
  readonly sale: boolean;
  readonly trader: string;
  readonly agent: string;
  readonly amount: number;
};

/** What is compared, in this order, and the reason where no trade agrees. */
const steps = [
  ['sale', 'WRONG_EVENT'],
  ['trader', 'NOT_YOURS'],
  ['agent', 'WRONG_AGENT'],
  ['amount', 'WRONG_AMOUNT'],
] as const satisfies readonly (readonly [keyof TradeParts, TradeReason])[];

/** Whether a trade is one that a submission may mean. */
export const isMeant = (trade: TradeParts, meant: TradeParts): boolean =>
  steps.every(([part]) => trade[part] === meant[part]);

/**
 * Why none of a transaction's trades is the one that is meant: the first part in which the closest of them differs.
 * Trades that agree in the parts before it are closer than others.
 */
export function reasonAgainst(trades: readonly TradeParts[], meant: TradeParts): TradeReason {
  let closest = trades;
  for (const [part, reason] of steps) {
    closest = closest.filter((trade) => trade[part] === meant[part]);
    if (closest.length === 0) return reason;
  }
  throw new Error('a trade is the one that is meant');
}
