import { unitPrice } from '../values/curve.js';
import type { Wei } from '../values/money.js';
import { HOUR_MS } from '../values/time.js';
import type { ChainPosition, Trade } from '../values/trade.js';

// Effects of a trade on supply, holders, positions, FIFO lots, realized PnL, fees and candles. All functions work in memory and in
// chain order. `loadBook` and `saveBook` (book.ts) read and write the affected rows.

/** The fields of a trade that determine a candle. */
export type PricedTrade = Pick<Trade, 'kind' | 'agent' | 'amount' | 'price' | 'supply' | 'time'>;

export type Registration = ChainPosition & { readonly agent: string };

export type MarketState = {
  supply: number;
  holderCount: number;
  feesEarned: Wei;
  tradeCount: number;
  volume: Wei;
};
/** Remainder of one purchase, and its cost in wei. */
export type Lot = { readonly blockNumber: number; readonly logIndex: number; remaining: number; cost: Wei };
/**
 * A holder's tickets in one agent. `lots` contains at least the oldest lots that the loaded trades can sell, and all new ones. The
 * first `sold` lots are used up: this number avoids searching a long history at each sale.
 */
export type Position = { amount: number; cost: Wei; since: Date; readonly lots: Lot[]; sold: number };
export type Ledger = { tradeCount: number; sellCount: number; bought: Wei; realized: Wei };
export type CandleState = { open: Wei; high: Wei; low: Wei; close: Wei; volume: Wei; trades: number };

/** The rows that the loaded facts touch, in memory. If a key is missing, there is no stored row. */
export type Book = {
  readonly markets: Map<string, MarketState>;
  /** Positions by agent, then by holder. */
  readonly positions: NestedMap<string, Position>;
  readonly ledgers: Map<string, Ledger>;
  /** Candles by agent, then by start of the hour in milliseconds. */
  readonly candles: NestedMap<number, CandleState>;
};

/** `costBasis` is the FIFO cost of the sold tickets, and `realizedPnl` the profit on them, in wei. null for a purchase. */
export type TradeOutcome = {
  readonly type: 'BUY' | 'SELL' | 'AGENT_BUY' | 'AGENT_SELL';
  readonly costBasis: Wei | null;
  readonly realizedPnl: Wei | null;
};

/** Thrown if facts contradict the stored state: a fact is missing or was applied twice. The index must not guess. */
export class InconsistentHistory extends Error {
  constructor(
    message: string,
    /** Block of the fact that does not fit. undefined for a reorg that is too deep. */
    readonly blockNumber?: number,
  ) {
    super(message);
  }
}

/** The part of a market that depends on positions. */
type Holders = Pick<MarketState, 'holderCount'>;
export type PositionTrade = Omit<Trade, 'supply'>;

/** A map with two keys. Concatenating the keys would take longer than applying a trade. */
export class NestedMap<Second, Value> {
  readonly #outer = new Map<string, Map<Second, Value>>();

  get(first: string, second: Second): Value | undefined {
    return this.#outer.get(first)?.get(second);
  }

  set(first: string, second: Second, value: Value): void {
    const inner = this.#outer.get(first);
    if (inner) inner.set(second, value);
    else this.#outer.set(first, new Map([[second, value]]));
  }

  delete(first: string, second: Second): void {
    const inner = this.#outer.get(first);
    if (inner?.delete(second) && inner.size === 0) this.#outer.delete(first);
  }

  *[Symbol.iterator](): Generator<readonly [string, Second, Value]> {
    for (const [first, inner] of this.#outer) for (const [second, value] of inner) yield [first, second, value];
  }
}

export const hourOf = (time: Date): number => Math.floor(time.getTime() / HOUR_MS) * HOUR_MS;

export const emptyBook = (): Book => ({
  markets: new Map(),
  positions: new NestedMap(),
  ledgers: new Map(),
  candles: new NestedMap(),
});

/** Opens a market. The agent gets its first ticket free. */
export function applyRegistration(book: Book, { agent, blockNumber, logIndex, time }: Registration): MarketState {
  if (book.markets.has(agent)) throw new InconsistentHistory(`${agent} registered twice`, blockNumber);
  const market = { supply: 1, holderCount: 1, feesEarned: 0n, tradeCount: 0, volume: 0n };
  book.markets.set(agent, market);
  book.positions.set(agent, agent, {
    amount: 1,
    cost: 0n,
    since: time,
    lots: [{ blockNumber, logIndex, remaining: 1, cost: 0n }],
    sold: 0,
  });
  return market;
}

/**
 * Applies a trade to the book. It is the only function that does: the indexer, requests that wait for a trade, and rebuilds use it.
 */
export function applyTrade(book: Book, trade: Trade): TradeOutcome {
  const market = book.markets.get(trade.agent);
  if (market === undefined) throw contradiction(trade, `a trade in ${trade.agent}, which has not registered`);
  const bought = trade.kind === 'bought';
  const before = market.supply;
  if (before + (bought ? trade.amount : -trade.amount) !== trade.supply) {
    throw contradiction(trade, `supply of ${trade.agent} is ${before} before a trade that leaves ${trade.supply}`);
  }
  const ledger = ledgerOf(book, trade.trader);
  const fees = trade.protocolFee + trade.agentFee;
  const byAgent = book.markets.has(trade.trader);
  let costBasis: Wei | null = null;
  let realizedPnl: Wei | null = null;
  if (bought) {
    const cost = costOf(trade);
    addLot(book, market, trade, cost);
    ledger.bought += cost;
  } else {
    costBasis = takeLots(book, market, trade);
    realizedPnl = trade.price - fees - costBasis;
    ledger.realized += realizedPnl;
    ledger.sellCount += 1;
  }
  ledger.tradeCount += 1;
  market.supply = trade.supply;
  market.feesEarned += trade.agentFee;
  market.tradeCount += 1;
  market.volume += trade.price;
  moveCandle(book, trade, before);
  return { type: `${byAgent ? 'AGENT_' : ''}${bought ? 'BUY' : 'SELL'}`, costBasis, realizedPnl };
}

/**
 * Computes positions again from trades in chain order. The book contains the positions before these trades. At first, these are the
 * free tickets of agents in themselves, from their registrations.
 */
export function replayPositions(book: Book, trades: readonly PositionTrade[]): void {
  // Counted without use: `rollBack` counts the holders of each market in the database.
  const market = { holderCount: 0 };
  for (const trade of trades) {
    if (trade.kind === 'bought') addLot(book, market, trade, costOf(trade));
    else takeLots(book, market, trade);
  }
  for (const [, , position] of book.positions) {
    // Drops the used-up lots, which have no rows, so that they do not pile up from page to page.
    position.lots.splice(0, position.sold);
    position.sold = 0;
  }
}

/** Computes candles. `trades` must contain all trades of the hours in question. */
export function replayCandles(trades: readonly PricedTrade[]): Book['candles'] {
  const book = emptyBook();
  for (const trade of trades) {
    moveCandle(book, trade, trade.supply + (trade.kind === 'bought' ? -trade.amount : trade.amount));
  }
  return book.candles;
}

const costOf = ({ price, protocolFee, agentFee }: PositionTrade): Wei => price + protocolFee + agentFee;

function addLot(book: Book, market: Holders, trade: PositionTrade, cost: Wei): void {
  const { blockNumber, logIndex, amount } = trade;
  let position = book.positions.get(trade.agent, trade.trader);
  if (position === undefined || position.amount === 0) {
    // The used-up lots of an emptied position stay in the list, because `saveBook` must still delete their rows.
    position = { amount: 0, cost: 0n, since: trade.time, lots: position?.lots ?? [], sold: position?.sold ?? 0 };
    book.positions.set(trade.agent, trade.trader, position);
    market.holderCount += 1;
  }
  position.lots.push({ blockNumber, logIndex, remaining: amount, cost });
  position.amount += amount;
  position.cost += cost;
}

const contradiction = ({ blockNumber }: PositionTrade, why: string) => new InconsistentHistory(why, blockNumber);

/**
 * Takes the sold tickets from the oldest lots (first in, first out), and returns their cost. For a part of a lot, the cost is
 * rounded down. The rest stays in the lot.
 */
function takeLots(book: Book, market: Holders, trade: PositionTrade): Wei {
  const position = book.positions.get(trade.agent, trade.trader);
  if (position === undefined || position.amount < trade.amount) {
    throw contradiction(trade, `${trade.trader} sells ${trade.amount} of ${position?.amount ?? 0} tickets`);
  }
  let unsold = trade.amount;
  let cost = 0n;
  while (unsold > 0) {
    const lot = position.lots[position.sold];
    if (lot === undefined) break;
    const taken = Math.min(unsold, lot.remaining);
    const part = (lot.cost * BigInt(taken)) / BigInt(lot.remaining);
    lot.remaining -= taken;
    lot.cost -= part;
    unsold -= taken;
    cost += part;
    if (lot.remaining === 0) position.sold += 1;
  }
  if (unsold > 0) {
    throw contradiction(trade, `the lots of ${trade.trader} in ${trade.agent} fall short by ${unsold}`);
  }
  position.amount -= trade.amount;
  position.cost -= cost;
  if (position.amount === 0) market.holderCount -= 1;
  return cost;
}

/** Updates the hour's candle of the ticket price. A candle opens at the price before its first trade. */
function moveCandle(book: Book, trade: PricedTrade, supplyBefore: number): void {
  const hour = hourOf(trade.time);
  const close = unitPrice(BigInt(trade.supply));
  let candle = book.candles.get(trade.agent, hour);
  if (candle === undefined) {
    const open = unitPrice(BigInt(supplyBefore));
    candle = { open, high: open, low: open, close: open, volume: 0n, trades: 0 };
    book.candles.set(trade.agent, hour, candle);
  }
  candle.high = candle.high > close ? candle.high : close;
  candle.low = candle.low < close ? candle.low : close;
  candle.close = close;
  candle.volume += trade.price;
  candle.trades += 1;
}

function ledgerOf(book: Book, wallet: string): Ledger {
  const existing = book.ledgers.get(wallet);
  if (existing) return existing;
  const ledger = { tradeCount: 0, sellCount: 0, bought: 0n, realized: 0n };
  book.ledgers.set(wallet, ledger);
  return ledger;
}
