import type { Wei } from '../../money.js';
import type { Lot, Position, Registration } from './rules.js';

// Replays many positions from their trades, first in, first out, with the same results as rules.ts. A cost is split into
// two numbers, above and below 10^14 wei, because bigint arithmetic takes five times as long. All steps are exact: no
// intermediate value exceeds 2^53.

const BASE = 1e14;
const BASE_DIGITS = 14;
/** Maximum of the upper part: 20 times this value stays below 2^53. A higher cost, above 45 billion ether, throws. */
const MAX_HIGH = 4.5e14;

/** Trades of many positions in columns. The trades of one position are adjacent and in chain order. */
export class TradeColumns {
  count = 0;
  /** Number of tickets. Negative for a sale. */
  amounts = new Int32Array(1024);
  high = new Float64Array(1024);
  low = new Float64Array(1024);
  blocks = new Float64Array(1024);
  logs = new Int32Array(1024);
  seconds = new Float64Array(1024);

  /** Adds the trades of one position: amount, block, log index, time in seconds and cost of each, separated by spaces. */
  add(text: string): void {
    for (let at = 0; at < text.length; ) {
      if (this.count === this.amounts.length) this.#grow();
      const i = this.count++;
      let end = text.indexOf(' ', at);
      this.amounts[i] = Number(text.slice(at, end));
      at = end + 1;
      end = text.indexOf(' ', at);
      this.blocks[i] = parseDigits(text, at, end);
      at = end + 1;
      end = text.indexOf(' ', at);
      this.logs[i] = parseDigits(text, at, end);
      at = end + 1;
      end = text.indexOf(' ', at);
      this.seconds[i] = parseDigits(text, at, end);
      at = end + 1;
      end = text.indexOf(' ', at);
      if (end < 0) end = text.length;
      const middle = Math.max(at, end - BASE_DIGITS);
      if (middle - at > BASE_DIGITS + 1)
        throw new RangeError(`a trade of ${text.slice(at, end)} wei is too large to replay`);
      const high = parseDigits(text, at, middle);
      if (high > MAX_HIGH) throw new RangeError(`a trade of ${text.slice(at, end)} wei is too large to replay`);
      this.high[i] = high;
      this.low[i] = parseDigits(text, middle, end);
      at = end + 1;
    }
  }

  #grow(): void {
    const resized = <T extends Int32Array | Float64Array>(target: T, source: T): T => {
      target.set(source);
      return target;
    };
    const size = this.count * 2;
    this.amounts = resized(new Int32Array(size), this.amounts);
    this.high = resized(new Float64Array(size), this.high);
    this.low = resized(new Float64Array(size), this.low);
    this.blocks = resized(new Float64Array(size), this.blocks);
    this.logs = resized(new Int32Array(size), this.logs);
    this.seconds = resized(new Float64Array(size), this.seconds);
  }
}

/** Parses up to 15 digits. */
function parseDigits(text: string, from: number, to: number): number {
  let value = 0;
  for (let i = from; i < to; i++) value = value * 10 + text.charCodeAt(i) - 48;
  return value;
}

/** Remainder of a position. `first` is the index of its oldest lot, `since` the time when the balance last rose from 0. */
export type Remainder = { readonly amount: number; readonly first: number; readonly since: number };

/**
 * Replays the trades [from, to) of one position in place. Afterwards `amounts` holds the remaining tickets of each
 * purchase (0 for a sale), and `high` and `low` hold their cost. `freeTickets` are sold first. The returned amount
 * includes the free tickets that remain.
 */
export function replay(
  trades: TradeColumns,
  from: number,
  to: number,
  freeTickets = 0,
): Remainder & { readonly freeTickets: number } {
  const { amounts, high, low, seconds } = trades;
  let free = freeTickets;
  let amount = freeTickets;
  let first = from;
  let since = Number.NaN;
  for (let i = from; i < to; i++) {
    const traded = amounts[i] as number;
    if (traded > 0) {
      if (amount === 0) since = seconds[i] as number;
      amount += traded;
      continue;
    }
    amounts[i] = 0;
    amount += traded;
    let unsold = -traded;
    const fromFree = Math.min(unsold, free);
    free -= fromFree;
    unsold -= fromFree;
    while (unsold > 0) {
      if (first >= i) throw new RangeError('more tickets are sold than were bought');
      const lotAmount = amounts[first] as number;
      if (lotAmount <= unsold) {
        unsold -= lotAmount;
        amounts[first++] = 0;
        continue;
      }
      // Removes floor(cost * unsold / has) from the lot, with a long division of the two parts of the cost.
      const top = (high[first] as number) * unsold;
      const whole = Math.floor(top / lotAmount);
      const rest = Math.floor(((top - whole * lotAmount) * BASE + (low[first] as number) * unsold) / lotAmount);
      const carried = Math.floor(rest / BASE);
      let nextHigh = (high[first] as number) - whole - carried;
      let nextLow = (low[first] as number) - (rest - carried * BASE);
      if (nextLow < 0) {
        nextLow += BASE;
        nextHigh -= 1;
      }
      high[first] = nextHigh;
      low[first] = nextLow;
      amounts[first] = lotAmount - unsold;
      unsold = 0;
    }
  }
  return { amount, first, since, freeTickets: free };
}

/** The remaining lots in the form in which they are stored. */
function remainingLots(trades: TradeColumns, { first }: Remainder, to: number): Lot[] {
  const lots: Lot[] = [];
  for (let i = first; i < to; i++) {
    const remaining = trades.amounts[i] as number;
    if (remaining === 0) continue;
    const cost = weiOf(trades.high[i] as number, trades.low[i] as number);
    lots.push({ blockNumber: trades.blocks[i] as number, logIndex: trades.logs[i] as number, remaining, cost });
  }
  return lots;
}

function remainingCost({ amounts, high, low }: TradeColumns, { first }: Remainder, to: number): Wei {
  let sum = 0n;
  let top = 0;
  let rest = 0;
  for (let i = first; i < to; i++) {
    if (amounts[i] === 0) continue;
    rest += low[i] as number;
    const carried = rest >= BASE ? 1 : 0;
    rest -= carried * BASE;
    top += (high[i] as number) + carried;
    // Adds the parts to the bigint sum before a part exceeds 2^53.
    if (top > MAX_HIGH) {
      sum += weiOf(top, rest);
      top = 0;
      rest = 0;
    }
  }
  return sum + weiOf(top, rest);
}

const BASE_WEI = BigInt(BASE);
const weiOf = (high: number, low: number): Wei => (high === 0 ? BigInt(low) : BigInt(high) * BASE_WEI + BigInt(low));

/**
 * A position from its trades. undefined if nothing remains. `registration` is set for the agent's position in its own
 * tickets, of which the first is free.
 */
export function positionOf(
  columns: TradeColumns,
  from: number,
  to: number,
  registration: Registration | undefined,
): Position | undefined {
  const remainder = replay(columns, from, to, registration ? 1 : 0);
  if (remainder.amount === 0) return undefined;
  const lots = remainingLots(columns, remainder, to);
  if (registration && remainder.freeTickets > 0) {
    lots.unshift({
      blockNumber: registration.blockNumber,
      logIndex: registration.logIndex,
      remaining: remainder.freeTickets,
      cost: 0n,
    });
  }
  const cost = remainingCost(columns, remainder, to);
  const since = Number.isNaN(remainder.since) && registration ? registration.time : new Date(remainder.since * 1000);
  return { amount: remainder.amount, cost, since, lots, sold: 0 };
}
