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

/** Why the contract refuses a trade, by the name of its error. */
export const revertReasons: Readonly<Record<string, string>> = {
  EnforcedPause: 'buying is paused; tickets can still be sold',
  CostAboveMax: 'the price rose above maxCost; ask for a new quote',
  InsufficientPayment: 'the transaction sends less ether than the trade costs; ask for a new quote',
  PayoutBelowMin: 'the price fell below minPayout; ask for a new quote',
  InsufficientTickets: 'the wallet holds fewer of these tickets',
  LastTicket: 'the last ticket of an agent stays in circulation',
  DeadlineExpired: 'the deadline has passed; ask for a new quote',
  AgentNotRegistered: 'the agent is not registered on the chain',
  PaymentFailed: 'the wallet is a contract that does not accept ether',
};

/** Explains the error with which the contract refuses a trade. */
export const revertReason = ({ name, args }: { readonly name: string; readonly args: readonly string[] }): string => {
  if (name === 'unknown') return 'the node does not say why';
  const reason = revertReasons[name];
  const call = `${name}(${args.join(', ')})`;
  return reason === undefined ? call : `${reason}. ${call}`;
};
