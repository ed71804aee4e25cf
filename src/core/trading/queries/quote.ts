import type { UnsignedCall } from '../../../chain/market.js';
import type { Deps } from '../../../deps.js';
import { AppError } from '../../../errors.js';
import type { Wei } from '../../../money.js';
import type { Actor } from '../../agents/queries/lookup.js';
import { hasOverloads } from '../../pricing/queries/contract.js';
import type { Quote } from '../../pricing/rules.js';
import { tradedMarket } from './markets.js';
import { boundOf, marketNow, type PriceRequest, quoteOf } from './price.js';

/** Slippage of all quotes: 5 %. */
export const QUOTE_SLIPPAGE_BPS = 500n;

/**
 * Almost three times the maximum gas of a trade (68,000 for a purchase by a new holder with a returned surplus, see
 * contracts/gas.json): a wallet that is a contract may use more when it receives ether. Unused gas is not charged.
 */
export const GAS_LIMIT = 200_000n;

/** Bounds of the time in which a quoted transaction may be mined, in seconds. */
export const MIN_DEADLINE_SECONDS = 10;
export const MAX_DEADLINE_SECONDS = 3600;

export type QuoteRequest = Pick<PriceRequest, 'agent' | 'amount' | 'side'> & {
  /** The wallet that will send the transaction. */
  readonly wallet: string;
  /** Time until the transaction expires. Without it, the transaction does not expire. */
  readonly deadlineSeconds?: number | undefined;
};

/** A transaction that the wallet signs and sends unchanged. */
export type UnsignedTransaction = UnsignedCall & {
  readonly from: string;
  readonly value: Wei;
  readonly gasLimit: bigint;
};

export type TradeQuote = Quote & {
  /** maxCost of a purchase, minPayout of a sale. */
  readonly bound: Wei;
  readonly transaction: UnsignedTransaction;
  /** Last block time at which the contract accepts the transaction. */
  readonly deadline?: Date | undefined;
  /** Only for a sale: the number of tickets that the wallet holds, and the time when it was read from the chain. */
  readonly balance?: { readonly tickets: number; readonly at: Date };
};

/**
 * Quotes a purchase of tickets of an agent of this service, or a sale in any market of the chain, with the transaction.
 * Checks what the contract checks, in the same order, except whether buying is paused.
 */
export async function tradeQuote(deps: Deps, actor: Actor, request: QuoteRequest): Promise<TradeQuote> {
  const { side, agent, amount, wallet, deadlineSeconds } = request;
  if (wallet !== actor.wallet) throw new AppError('NOT_AUTHORIZED', {}, { advice: 'QUOTE_WALLET' });
  if (deadlineSeconds !== undefined) await requireDeadlines(deps);
  await tradedMarket(deps, side, agent);
  const { market } = deps;
  const [now, [tickets = 0]] = await Promise.all([
    marketNow(deps, agent),
    side === 'sell' ? market.balances(wallet, [agent]) : [],
  ]);
  const at = deps.clock.now();
  if (side === 'sell' && amount > tickets) throw new AppError('INSUFFICIENT_TICKETS', { held: tickets });
  const quote = quoteOf(now, side, amount);
  const bound = boundOf(side, quote.total, QUOTE_SLIPPAGE_BPS);
  // The contract compares whole seconds, so the time is rounded down.
  const expiry = deadlineSeconds === undefined ? undefined : Math.floor(at.getTime() / 1000) + deadlineSeconds;
  const call =
    side === 'buy' ? market.buyCall(agent, amount, bound, expiry) : market.sellCall(agent, amount, bound, expiry);
  const transaction = { ...call, from: wallet, value: side === 'buy' ? bound : 0n, gasLimit: GAS_LIMIT };
  return {
    ...quote,
    bound,
    transaction,
    deadline: expiry === undefined ? undefined : new Date(expiry * 1000),
    ...(side === 'sell' && { balance: { tickets, at } }),
  };
}

/** Refuses a deadline if the contract was deployed before the functions with a deadline existed. */
async function requireDeadlines({ market }: Pick<Deps, 'market'>): Promise<void> {
  if (!hasOverloads(await market.missingFunctions())) throw new AppError('NO_DEADLINES');
}
