import type { Deps } from '../../../deps.js';
import { AppError } from '../../../errors.js';
import type { Wei } from '../../../money.js';
import type { Actor } from '../../agents/queries/lookup.js';
import { buyQuote, type Quote, sellQuote, withBuySlippage, withSellSlippage } from '../../pricing/rules.js';
import { tradedMarket } from './markets.js';
import type { Side } from './price.js';

/** Slippage of all quotes: 5 %. */
export const QUOTE_SLIPPAGE_BPS = 500n;

/**
 * Almost three times the maximum gas of a trade (68,000 for a purchase by a new holder with a returned surplus, see
 * contracts/gas.json): a wallet that is a contract may use more when it receives ether. Unused gas is not charged.
 */
export const GAS_LIMIT = 200_000n;

export type QuoteRequest = {
  readonly side: Side;
  /** The agent's wallet. */
  readonly agent: string;
  readonly amount: number;
  /** The wallet that will send the transaction. */
  readonly wallet: string;
};

/** A transaction that the wallet signs and sends unchanged. */
export type UnsignedTransaction = {
  readonly to: string;
  readonly from: string;
  readonly data: string;
  readonly value: Wei;
  readonly gasLimit: bigint;
};

export type TradeQuote = Quote & {
  /** maxCost of a purchase, minPayout of a sale. */
  readonly bound: Wei;
  readonly transaction: UnsignedTransaction;
  /** Sales: number of tickets that the wallet holds, and when it was read from the chain. */
  readonly balance?: { readonly tickets: number; readonly at: Date };
};

/** Quotes a purchase of tickets of an agent of this service, or a sale in any market of the chain, with the transaction. */
export async function tradeQuote(deps: Deps, actor: Actor, request: QuoteRequest): Promise<TradeQuote> {
  if (request.wallet !== actor.wallet) throw new AppError('NOT_AUTHORIZED', {}, { advice: 'QUOTE_WALLET' });
  await tradedMarket(deps, request.side, request.agent);
  return request.side === 'buy' ? quoteBuy(deps, request) : quoteSell(deps, request);
}

async function quoteBuy(deps: Deps, { agent, amount, wallet }: QuoteRequest): Promise<TradeQuote> {
  const [supply, split] = await Promise.all([supplyOf(deps, agent), deps.market.feeSplit()]);
  const quote = buyQuote(supply, BigInt(amount), split);
  const bound = withBuySlippage(quote.total, QUOTE_SLIPPAGE_BPS);
  const call = deps.market.buyCall(agent, amount, bound);
  return { ...quote, bound, transaction: { ...call, from: wallet, value: bound, gasLimit: GAS_LIMIT } };
}

/** Checks what the contract checks, in the same order. */
async function quoteSell(deps: Deps, { agent, amount, wallet }: QuoteRequest): Promise<TradeQuote> {
  const [supply, split, [tickets = 0]] = await Promise.all([
    supplyOf(deps, agent),
    deps.market.feeSplit(),
    deps.market.balances(wallet, [agent]),
  ]);
  const balance = { tickets, at: deps.clock.now() };
  if (amount > tickets) throw new AppError('INSUFFICIENT_TICKETS', { held: tickets });
  if (BigInt(amount) >= supply) throw new AppError('LAST_TICKET', { most: Number(supply) - 1 });
  const quote = sellQuote(supply, BigInt(amount), split);
  const bound = withSellSlippage(quote.total, QUOTE_SLIPPAGE_BPS);
  const call = deps.market.sellCall(agent, amount, bound);
  return { ...quote, bound, balance, transaction: { ...call, from: wallet, value: 0n, gasLimit: GAS_LIMIT } };
}

/** Supply of an agent. The chain does not know an agent of this service if a reorg removed its registration. */
async function supplyOf(deps: Deps, agent: string): Promise<bigint> {
  const [state] = await deps.market.states([agent]);
  if (!state || state.supply === 0) throw new AppError('AGENT_NOT_FOUND');
  return BigInt(state.supply);
}
