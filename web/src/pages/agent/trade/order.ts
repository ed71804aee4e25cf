import { withBuySlippage, withSellSlippage } from '../../../../../src/features/pricing/rules.js';
import type { Wei } from '../../../../../src/money.js';
import type { Side, Step } from '../curve.js';
import type { Holdings } from './use-holdings.js';

/** The maximum cost of a purchase, or the minimum payout of a sale. `slippage` is in percent. */
export function boundOf(side: Side, { total }: Step, slippage: number): Wei {
  const bps = BigInt(Math.round(slippage * 100));
  return side === 'buy' ? withBuySlippage(total, bps) : withSellSlippage(total, bps);
}

/** The largest purchase that the wallet can pay, with slippage and the network fee. At least 1, so that the page shows its cost. */
export function mostAffordable(steps: readonly Step[], slippage: number, { balance, networkFee }: Holdings): number {
  const affordable = steps.filter((step) => boundOf('buy', step, slippage) + networkFee <= balance);
  return Math.max(1, affordable.length);
}
