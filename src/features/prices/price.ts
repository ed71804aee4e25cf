import type { Deps } from '../../deps.js';
import { AppError } from '../../errors.js';
import type { Wei } from '../../money.js';
import { buyQuote, type FeeSplit, type Quote, sellQuote, withBuySlippage, withSellSlippage } from '../pricing/rules.js';

export type Side = 'buy' | 'sell';
export type PriceRequest = {
  /** The agent's wallet. */
  readonly agent: string;
  readonly amount: number;
  readonly side: Side;
  readonly slippageBps?: bigint | undefined;
};
export type LivePrice = Awaited<ReturnType<typeof livePrice>>;

/**
 * Price of a trade now, read from the chain. Works for every agent that is registered on the chain. `bound`, with slippage:
 * maximum cost of a purchase, or minimum payout of a sale.
 */
export async function livePrice(deps: Deps, { agent, amount, side, slippageBps }: PriceRequest) {
  const [market, ethUsd] = await Promise.all([marketNow(deps, agent), deps.ethUsd()]);
  const quote = quoteOf(market, side, amount);
  const bound = slippageBps === undefined ? {} : { bound: boundOf(side, quote.total, slippageBps) };
  return { ...quote, ...bound, supply: market.supply, ethUsd };
}

type MarketNow = { readonly supply: number; readonly split: FeeSplit };

/**
 * Supply and fee rates, read from the chain. After a reorg, the chain may lack the registration of an agent of this
 * service.
 */
export async function marketNow({ market }: Deps, agent: string): Promise<MarketNow> {
  const [[state], split] = await Promise.all([market.states([agent]), market.feeSplit()]);
  if (!state || state.supply === 0) throw new AppError('AGENT_NOT_FOUND');
  return { supply: state.supply, split };
}

export function quoteOf({ supply, split }: MarketNow, side: Side, amount: number): Quote {
  if (side === 'sell' && amount >= supply) throw new AppError('LAST_TICKET', { most: supply - 1 });
  return (side === 'buy' ? buyQuote : sellQuote)(BigInt(supply), BigInt(amount), split);
}

/** Maximum cost of a purchase, or minimum payout of a sale. */
export const boundOf = (side: Side, total: Wei, slippageBps: bigint): Wei =>
  (side === 'buy' ? withBuySlippage : withSellSlippage)(total, slippageBps);
