import type { Deps } from '../../../deps.js';
import { AppError } from '../../../errors.js';
import type { Wei } from '../../../money.js';
import { buyQuote, type Quote, sellQuote, withBuySlippage, withSellSlippage } from '../../pricing/rules.js';

export type Side = 'buy' | 'sell';
export type PriceRequest = {
  /** The agent's wallet. */
  readonly agent: string;
  readonly amount: number;
  readonly side: Side;
  readonly slippageBps?: bigint | undefined;
};
export type LivePrice = Quote & {
  readonly supply: number;
  readonly ethUsd: number;
  /** With slippage: maximum cost of a purchase, or minimum payout of a sale. */
  readonly bound?: Wei;
};

/** Price of a trade now, read from the chain. Works for every agent that is registered on the chain. */
export async function livePrice(deps: Deps, { agent, amount, side, slippageBps }: PriceRequest): Promise<LivePrice> {
  const [[state], split, ethUsd] = await Promise.all([
    deps.market.states([agent]),
    deps.market.feeSplit(),
    deps.ethUsd(),
  ]);
  const supply = state?.supply ?? 0;
  if (supply === 0) throw new AppError('AGENT_NOT_FOUND');
  if (side === 'sell' && amount >= supply) throw new AppError('LAST_TICKET', { most: supply - 1 });
  const quote = (side === 'buy' ? buyQuote : sellQuote)(BigInt(supply), BigInt(amount), split);
  const bound =
    slippageBps === undefined
      ? {}
      : { bound: (side === 'buy' ? withBuySlippage : withSellSlippage)(quote.total, slippageBps) };
  return { ...quote, ...bound, supply, ethUsd };
}
