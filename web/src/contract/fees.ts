import { type FeeSplit, sellQuote } from '../../../src/values/curve.js';
import type { Wei } from '../../../src/values/money.js';
import { graphql } from '../graphql/document.js';

export const feesQuery = graphql(`
  query ContractFees {
    contract { protocolFeeBps agentFeeBps }
  }
`);

/** The fee rates of the contract in the form that the functions of the curve take. */
export const splitOf = (rates: { readonly protocolFeeBps: number; readonly agentFeeBps: number }): FeeSplit => ({
  protocolBps: BigInt(rates.protocolFeeBps),
  agentBps: BigInt(rates.agentFeeBps),
});

/**
 * What these tickets pay if they are sold now, fees deducted. The last ticket in circulation cannot be sold, so it pays nothing.
 */
export function payoutOf(supply: number, tickets: number, split: FeeSplit): Wei {
  const sellable = Math.min(tickets, supply - 1);
  return sellable > 0 ? sellQuote(BigInt(supply), BigInt(sellable), split).total : 0n;
}
