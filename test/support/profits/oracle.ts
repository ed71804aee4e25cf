import type { Fact, Traded } from '../../../src/chain/logs/facts.js';

// Computes profits and candles from the facts alone, with plain loops. It calls no code under test.

const squarePrice = 10n ** 18n / 50_000n;
const isTrade = (fact: Fact): fact is Traded => fact.kind === 'bought' || fact.kind === 'sold';
const feesOf = ({ protocolFee, agentFee }: Traded): bigint => protocolFee + agentFee;

/** Price of the tickets from number `from` to the one before `to`. */
function priceOf(from: number, to: number): bigint {
  let price = 0n;
  for (let i = from; i < to; i++) price += BigInt(i * i) * squarePrice;
  return price;
}

export type State = {
  readonly realized: bigint;
  readonly unrealized: bigint;
  readonly feesEarned: bigint;
  readonly total: bigint;
  readonly volume: bigint;
  readonly feesPaid: bigint;
  readonly trades: number;
  readonly value: bigint;
};

/**
 * The state of a wallet after the facts before a time. `rate` is the fee rate that the contract charges now, as a pair of fee and
 * price. Without it, the rate is that of the newest trade.
 */
export function stateAt(facts: readonly Fact[], wallet: string, time: Date, rate?: readonly [bigint, bigint]): State {
  const lots = new Map<string, { left: number; cost: bigint }[]>();
  const supply = new Map<string, number>();
  let [realized, feesEarned, volume, feesPaid, trades] = [0n, 0n, 0n, 0n, 0];
  let newest = rate ?? ([0n, 1n] as const);
  for (const fact of facts) {
    if (fact.kind === 'redirected') continue;
    if (fact.time >= time) break;
    if (fact.kind === 'registered') {
      supply.set(fact.agent, 1);
      if (fact.agent === wallet) lots.set(wallet, [{ left: 1, cost: 0n }]);
    }
    if (!isTrade(fact)) continue;
    supply.set(fact.agent, fact.supply);
    if (!rate) newest = [feesOf(fact), fact.price];
    if (fact.agent === wallet) feesEarned += fact.agentFee;
    if (fact.trader !== wallet) continue;
    volume += fact.price;
    feesPaid += feesOf(fact);
    trades += 1;
    const own = lots.get(fact.agent) ?? [];
    lots.set(fact.agent, own);
    if (fact.kind === 'bought') {
      own.push({ left: fact.amount, cost: fact.price + feesOf(fact) });
      continue;
    }
    realized += fact.price - feesOf(fact);
    for (let sold = fact.amount; sold > 0; ) {
      const [lot] = own as [{ left: number; cost: bigint }];
      const taken = Math.min(sold, lot.left);
      const cost = (lot.cost * BigInt(taken)) / BigInt(lot.left);
      realized -= cost;
      lot.cost -= cost;
      lot.left -= taken;
      sold -= taken;
      if (lot.left === 0) own.shift();
    }
  }
  let [value, cost] = [0n, 0n];
  for (const [agent, own] of lots) {
    const all = supply.get(agent) ?? 0;
    const price = priceOf(Math.max(1, all - own.reduce((sum, { left }) => sum + left, 0)), all);
    value += price - (price * newest[0]) / newest[1];
    for (const lot of own) cost += lot.cost;
  }
  const unrealized = value - cost;
  return { realized, unrealized, feesEarned, total: realized + unrealized + feesEarned, volume, feesPaid, trades, value };
}

/**
 * The most that the purchases of a wallet in a period had taken above what its sales in the period had paid, after any of them, fees
 * included. At least 0.
 */
export function mostSpentIn(
  facts: readonly Fact[],
  wallet: string,
  { start, end }: { readonly start: Date; readonly end: Date },
): bigint {
  let [spent, most] = [0n, 0n];
  for (const fact of facts) {
    if (!isTrade(fact) || fact.trader !== wallet || fact.time < start || fact.time >= end) continue;
    spent += fact.kind === 'bought' ? fact.price + feesOf(fact) : feesOf(fact) - fact.price;
    if (spent > most) most = spent;
  }
  return most;
}

export type ExpectedCandle = {
  readonly time: number;
  readonly open: bigint;
  readonly high: bigint;
  readonly low: bigint;
  readonly close: bigint;
  readonly volume: bigint;
  readonly trades: number;
};

/** The candles of a market whose intervals are `length` milliseconds long, oldest first. */
export function candlesIn(facts: readonly Fact[], agent: string, length: number): ExpectedCandle[] {
  const candles: ExpectedCandle[] = [];
  let price = squarePrice;
  for (const fact of facts) {
    if (!isTrade(fact) || fact.agent !== agent) continue;
    const time = Math.floor(fact.time.getTime() / length) * length;
    const last = candles.at(-1);
    const before =
      last?.time === time ? candles.pop() : { time, open: price, high: price, low: price, close: price, volume: 0n, trades: 0 };
    const { open, high, low, volume, trades } = before as ExpectedCandle;
    price = BigInt(fact.supply) ** 2n * squarePrice;
    candles.push({
      time,
      open,
      high: high > price ? high : price,
      low: low < price ? low : price,
      close: price,
      volume: volume + fact.price,
      trades: trades + 1,
    });
  }
  return candles;
}
