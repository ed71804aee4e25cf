import type { UnsignedCall } from '../../../chain/chain.js';
import type { Deps } from '../../../deps.js';
import { AppError } from '../../../errors/errors.js';
import type { Actor } from '../../../keys.js';
import { buyQuote, type FeeSplit, type Quote, sellQuote, withBuySlippage, withSellSlippage } from '../../../values/curve.js';
import { formatEth, type Wei } from '../../../values/money.js';
import { hasOverloads } from '../contract/contract.js';
import { tradedMarket } from './markets.js';

export type Side = 'buy' | 'sell';
type PriceRequest = {
  /** Wallet of the agent whose tickets are traded. */
  readonly agent: string;
  readonly amount: number;
  readonly type: Side;
  /** Slippage tolerance in basis points. */
  readonly slippage?: bigint | undefined;
};
export type LivePrice = PriceRequest &
  Quote & {
    /** Maximum cost of a purchase, or minimum payout of a sale. Absent if the request has no slippage. */
    readonly bound?: Wei;
    readonly supply: number;
    readonly ethUsd: number;
  };

/**
 * Price of a trade now, read from the chain. It exists for every agent that is registered on the chain, with or without a profile.
 */
export async function livePrice(deps: Deps, request: PriceRequest): Promise<LivePrice> {
  const { agent, amount, type, slippage } = request;
  const [market, ethUsd] = await Promise.all([marketNow(deps, agent), deps.ethUsd()]);
  const quote = quoteOf(market, type, amount);
  const bound = slippage === undefined ? {} : { bound: boundOf(type, quote.total, slippage) };
  return { ...request, ...quote, ...bound, supply: market.supply, ethUsd };
}

type MarketNow = { readonly supply: number; readonly split: FeeSplit };

/**
 * Supply of an agent and fee rates, read from the chain. Refuses an agent that is not on the chain: a reorg may have removed the
 * registration of an agent of this service.
 */
async function marketNow({ chain }: Deps, agent: string): Promise<MarketNow> {
  const [[state], split] = await Promise.all([chain.states([agent]), chain.feeSplit()]);
  if (!state || state.supply === 0) throw new AppError('AGENT_NOT_FOUND');
  return { supply: state.supply, split };
}

function quoteOf({ supply, split }: MarketNow, side: Side, amount: number): Quote {
  if (side === 'sell' && amount >= supply) throw new AppError('LAST_TICKET', { most: supply - 1 });
  return (side === 'buy' ? buyQuote : sellQuote)(BigInt(supply), BigInt(amount), split);
}

/** Worst price that a trade accepts: maximum cost of a purchase, or minimum payout of a sale. */
const boundOf = (side: Side, total: Wei, slippageBps: bigint): Wei =>
  (side === 'buy' ? withBuySlippage : withSellSlippage)(total, slippageBps);

/** Slippage tolerance of all quotes, in basis points: 5 %. */
export const QUOTE_SLIPPAGE_BPS = 500n;

/**
 * Gas limit of quoted transactions: almost three times the maximum gas of a trade (68,000 for a purchase by a new holder with a
 * returned surplus, see contracts/gas.json). A wallet that is a contract may use more gas when it receives ether. Unused gas is
 * not charged.
 */
export const GAS_LIMIT = 200_000n;

/** Bounds for `deadlineSeconds`, the time in which a quoted transaction may be mined. */
export const MIN_DEADLINE_SECONDS = 10;
export const MAX_DEADLINE_SECONDS = 3600;

type Traded = Pick<PriceRequest, 'agent' | 'amount' | 'type'>;
type QuoteRequest = Traded & {
  /** The wallet that will send the transaction. */
  readonly wallet: string;
  /** Seconds until the transaction expires. If undefined, the transaction does not expire. */
  readonly deadlineSeconds?: number | undefined;
  /** Whether the transaction is tried on the chain, without sending it. @default true */
  readonly isTried?: boolean;
};

/** A transaction for the wallet to sign and send unchanged. */
export type UnsignedTransaction = UnsignedCall & {
  readonly from: string;
  readonly value: Wei;
  readonly gasLimit: bigint;
};

/** The figures of a quote. They depend neither on the wallet nor on its transaction. */
type QuotedFigures = Traded &
  Quote & {
    /** Maximum cost of a purchase, or minimum payout of a sale. */
    readonly bound: Wei;
  };

export type TradeQuote = QuotedFigures & {
  readonly transaction: UnsignedTransaction;
  /** The error with which the transaction would fail. Absent if it would succeed, or if it was not tried. */
  readonly refusal?: AppError | undefined;
  /** Last block time at which the contract accepts the transaction. Absent if it does not expire. */
  readonly deadline?: Date;
  /** Only for a sale: the tickets that the wallet holds, as read from the chain. */
  readonly balance?: { readonly tickets: number; readonly at: Date };
};

/** The figures of a trade without its transaction, for a caller without a key. */
export async function quotedFigures(deps: Deps, trade: Traded): Promise<QuotedFigures> {
  await tradedMarket(deps, trade.type, trade.agent);
  return quotedOf(trade, await marketNow(deps, trade.agent));
}

/** Computes the figures of a trade from the state of the market. */
export function quotedOf({ type, agent, amount }: Traded, market: MarketNow): QuotedFigures {
  const quote = quoteOf(market, type, amount);
  return { type, agent, amount, ...quote, bound: boundOf(type, quote.total, QUOTE_SLIPPAGE_BPS) };
}

/**
 * Quotes a trade with its transaction: a purchase of tickets of an agent of this service, or a sale in any market of the chain.
 * Checks what the contract checks, in the same order. Then tries the transaction on the chain, without sending it.
 */
export async function tradeQuote(deps: Deps, actor: Actor, request: QuoteRequest): Promise<TradeQuote> {
  const { type, agent, amount, wallet, deadlineSeconds, isTried = true } = request;
  if (wallet !== actor.wallet) throw new AppError('NOT_AUTHORIZED', {}, { advice: 'QUOTE_WALLET' });
  const { chain } = deps;
  // A contract lacks deadlines if it was deployed before the functions with a deadline existed.
  if (deadlineSeconds !== undefined && !hasOverloads(await chain.missingFunctions())) throw new AppError('NO_DEADLINES');
  await tradedMarket(deps, type, agent);
  const [now, [tickets = 0]] = await Promise.all([marketNow(deps, agent), type === 'sell' ? chain.balances(wallet, [agent]) : []]);
  const at = deps.clock.now();
  if (type === 'sell' && amount > tickets) throw new AppError('INSUFFICIENT_TICKETS', { held: tickets });
  const quote = quotedOf(request, now);
  const { bound } = quote;
  // Block times are whole seconds, so the current time is rounded down.
  const expiry = deadlineSeconds === undefined ? undefined : Math.floor(at.getTime() / 1000) + deadlineSeconds;
  const call = chain.tradeCall(type, agent, amount, bound, expiry);
  const transaction = { ...call, from: wallet, value: type === 'buy' ? bound : 0n, gasLimit: GAS_LIMIT };
  return {
    ...quote,
    transaction,
    refusal: isTried ? await refusalOf(deps, transaction) : undefined,
    ...(expiry !== undefined && { deadline: new Date(expiry * 1000) }),
    ...(type === 'sell' && { balance: { tickets, at } }),
  };
}

/**
 * Tries the transaction with `eth_call`. Returns an error if the wallet has too little ether, or if the contract would refuse the
 * trade.
 */
async function refusalOf({ chain }: Deps, transaction: UnsignedTransaction): Promise<AppError | undefined> {
  const { from, value } = transaction;
  const [balance, revert] = await Promise.all([chain.etherBalance(from), chain.dryRun(transaction)]);
  // Gas costs ether as well, so a balance of exactly `value` is too small.
  if (balance <= value) return new AppError('INSUFFICIENT_ETHER', { held: formatEth(balance), needed: formatEth(value) });
  return revert === null
    ? undefined
    : new AppError('TRADE_REVERTS', { why: revertReason(revert) }, { details: { revert: revert.name } });
}

/** Explanations of why the contract refuses a trade, by the name of the error in the contract. */
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

/** Explains an error of the contract. An error that `revertReasons` does not list is shown as it is. */
export const revertReason = ({ name, args }: { readonly name: string; readonly args: readonly string[] }): string => {
  if (name === 'unknown') return 'the node does not say why';
  const reason = revertReasons[name];
  const call = `${name}(${args.join(', ')})`;
  return reason === undefined ? call : `${reason}. ${call}`;
};
