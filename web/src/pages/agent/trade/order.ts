import { sellQuote, withBuySlippage, withSellSlippage } from '../../../../../src/core/pricing/rules.js';
import type { Wei } from '../../../../../src/money.js';
import { type Side, type Step, splitOf } from '../curve.js';
import type { Contract } from '../queries.js';
import type { Holdings } from './use-holdings.js';

/** The maximum cost of a purchase, or the minimum payout of a sale. `slippage` is in percent. */
export function boundOf(side: Side, { total }: Step, slippage: number): Wei {
  const bps = BigInt(Math.round(slippage * 100));
  return side === 'buy' ? withBuySlippage(total, bps) : withSellSlippage(total, bps);
}

/** The largest purchase that the wallet can pay, with slippage and the network fee. At least 1, whose cost the page then shows. */
export function mostAffordable(steps: readonly Step[], slippage: number, { balance, networkFee }: Holdings): number {
  const affordable = steps.filter((step) => boundOf('buy', step, slippage) + networkFee <= balance);
  return Math.max(1, affordable.length);
}

/** What the sale of all these tickets would pay now. undefined if the last ticket in circulation is among them. */
export function saleValue(
  tickets: number,
  supply: number | undefined,
  contract: Contract | undefined,
): Wei | undefined {
  if (supply === undefined || !contract || tickets >= supply) return undefined;
  return tickets === 0 ? 0n : sellQuote(BigInt(supply), BigInt(tickets), splitOf(contract)).total;
}
