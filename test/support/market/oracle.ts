import { createHash } from 'node:crypto';
import type { Fact, Traded } from '../../../src/chain/logs/facts.js';

// Computes the expected tables from a list of facts in chain order. It uses plain loops and its own arithmetic and
// calls no code under test. Every value of a row is text.

export type Row = Readonly<Record<string, string | null>>;
export type Tables = Readonly<Record<string, readonly Row[]>>;

/** The columns by which each table is sorted. */
export const sortKeys: Readonly<Record<string, readonly string[]>> = {
  market: ['wallet'],
  transaction: ['tx_hash', 'ordinal'],
  ticket_holding: ['agent', 'holder'],
  ticket_lot: ['agent', 'holder', 'block_number', 'log_index'],
  wallet_ledger: ['wallet'],
  candle: ['agent', 'hour'],
  fee_withdrawal: ['tx_hash', 'ordinal'],
};

const squarePrice = 10n ** 18n / 50_000n;
const priceOfOne = (supply: number): bigint => BigInt(supply) * BigInt(supply) * squarePrice;
const idOf = (key: string): string => createHash('sha256').update(key).digest('base64url').slice(0, 22);
const isTrade = (fact: Fact): fact is Traded => fact.kind === 'bought' || fact.kind === 'sold';
const text = (value: bigint | number): string => value.toString();

/** A lot of tickets with its remaining cost. The cost of single tickets would not add up, because sales round it. */
type Lot = { block: number; log: number; left: number; cost: bigint };
type Gain = { readonly basis: bigint; readonly pnl: bigint };

export function oracle(facts: readonly Fact[]): Tables {
  const wallets = new Set<string>();
  for (const fact of facts) {
    wallets.add(fact.agent);
    if (isTrade(fact)) wallets.add(fact.trader);
  }
  const gains = new Map<Fact, Gain>();
  const holdings: Row[] = [];
  const lotRows: Row[] = [];
  const holders = new Map<string, number>();
  for (const agent of wallets) {
    for (const holder of wallets) {
      const { lots, since } = position(facts, agent, holder, gains);
      if (lots.length === 0) continue;
      holders.set(agent, (holders.get(agent) ?? 0) + 1);
      let amount = 0;
      let cost = 0n;
      for (const lot of lots) {
        amount += lot.left;
        cost += lot.cost;
        const row = { block_number: text(lot.block), log_index: text(lot.log), remaining: text(lot.left) };
        lotRows.push({ agent, holder, ...row, cost: text(lot.cost) });
      }
      holdings.push({ agent, holder, amount: text(amount), cost: text(cost), since });
    }
  }
  const tables: Record<string, Row[]> = {
    market: markets(facts, holders),
    transaction: transactions(facts, gains),
    ticket_holding: holdings,
    ticket_lot: lotRows,
    wallet_ledger: ledgers(facts, wallets, gains),
    candle: candles(facts, wallets),
    fee_withdrawal: withdrawals(facts),
  };
  for (const [table, rows] of Object.entries(tables)) {
    const keys = sortKeys[table] ?? [];
    const numeric = new Set(['ordinal', 'block_number', 'log_index']);
    rows.sort((a, b) => {
      for (const key of keys) {
        const [x, y] = [a[key] ?? '', b[key] ?? ''];
        if (x !== y) return numeric.has(key) ? Number(x) - Number(y) : x < y ? -1 : 1;
      }
      return 0;
    });
  }
  return tables;
}

/** Returns the remaining lots, oldest first, and when the amount last rose from zero. Records the PnL of each sale. */
function position(facts: readonly Fact[], agent: string, holder: string, gains: Map<Fact, Gain>) {
  let lots: Lot[] = [];
  let since = '';
  for (const fact of facts) {
    if (fact.agent !== agent) continue;
    const registered = fact.kind === 'registered' && agent === holder;
    const bought = fact.kind === 'bought' && fact.trader === holder;
    if (registered || bought) {
      if (lots.length === 0) since = fact.time.toISOString();
      const cost = bought ? fact.price + fact.protocolFee + fact.agentFee : 0n;
      lots.push({ block: fact.blockNumber, log: fact.logIndex, left: bought ? fact.amount : 1, cost });
    }
    if (fact.kind === 'sold' && fact.trader === holder) {
      let basis = 0n;
      let toSell = fact.amount;
      for (const lot of lots) {
        const k = Math.min(toSell, lot.left);
        const part = (lot.cost * BigInt(k)) / BigInt(lot.left);
        basis += part;
        lot.cost -= part;
        lot.left -= k;
        toSell -= k;
        if (toSell === 0) break;
      }
      if (toSell !== 0) throw new Error('the history sells more than there is');
      lots = lots.filter((lot) => lot.left !== 0);
      gains.set(fact, { basis, pnl: fact.price - fact.protocolFee - fact.agentFee - basis });
    }
  }
  return { lots, since };
}

function markets(facts: readonly Fact[], holders: ReadonlyMap<string, number>): Row[] {
  const rows: Row[] = [];
  for (const fact of facts) {
    if (fact.kind !== 'registered') continue;
    let supply = 1;
    let fees = 0n;
    let count = 0;
    let volume = 0n;
    for (const trade of facts) {
      if (!isTrade(trade) || trade.agent !== fact.agent) continue;
      supply += trade.kind === 'bought' ? trade.amount : -trade.amount;
      fees += trade.agentFee;
      count += 1;
      volume += trade.price;
    }
    rows.push({
      wallet: fact.agent,
      name: fact.name,
      agent_id: fact.agentId,
      supply: text(supply),
      holder_count: text(holders.get(fact.agent) ?? 0),
      fees_earned: text(fees),
      trade_count: text(count),
      volume: text(volume),
      tx_hash: fact.txHash,
      ordinal: text(fact.ordinal),
      block_number: text(fact.blockNumber),
      log_index: text(fact.logIndex),
      registered_at: fact.time.toISOString(),
      event_id: idOf(`registration:${fact.agent}`),
    });
  }
  return rows;
}

function transactions(facts: readonly Fact[], gains: ReadonlyMap<Fact, Gain>): Row[] {
  const registered = new Set<string>();
  const rows: Row[] = [];
  for (const fact of facts) {
    if (fact.kind === 'registered') registered.add(fact.agent);
    if (!isTrade(fact)) continue;
    const gain = gains.get(fact);
    rows.push({
      tx_hash: fact.txHash,
      ordinal: text(fact.ordinal),
      type: (registered.has(fact.trader) ? 'AGENT_' : '') + (fact.kind === 'bought' ? 'BUY' : 'SELL'),
      trader: fact.trader,
      agent: fact.agent,
      amount: text(fact.amount),
      price: text(fact.price),
      protocol_fee: text(fact.protocolFee),
      agent_fee: text(fact.agentFee),
      supply_after: text(fact.supply),
      cost_basis: gain ? text(gain.basis) : null,
      realized_pnl: gain ? text(gain.pnl) : null,
      block_number: text(fact.blockNumber),
      log_index: text(fact.logIndex),
      block_time: fact.time.toISOString(),
      event_id: idOf(`trade:${fact.txHash}:${fact.ordinal}`),
    });
  }
  return rows;
}

function ledgers(facts: readonly Fact[], wallets: ReadonlySet<string>, gains: ReadonlyMap<Fact, Gain>): Row[] {
  const rows: Row[] = [];
  for (const wallet of wallets) {
    let [trades, sales, bought, realized] = [0, 0, 0n, 0n];
    for (const fact of facts) {
      if (!isTrade(fact) || fact.trader !== wallet) continue;
      trades += 1;
      if (fact.kind === 'sold') sales += 1;
      else bought += fact.price + fact.protocolFee + fact.agentFee;
      realized += gains.get(fact)?.pnl ?? 0n;
    }
    if (trades === 0) continue;
    const counts = { trade_count: text(trades), sell_count: text(sales) };
    rows.push({ wallet, ...counts, bought: text(bought), realized: text(realized) });
  }
  return rows;
}

function candles(facts: readonly Fact[], wallets: ReadonlySet<string>): Row[] {
  const rows: Row[] = [];
  for (const agent of wallets) {
    const trades = facts.filter(isTrade).filter((trade) => trade.agent === agent);
    const hours = new Set(trades.map(({ time }) => `${time.toISOString().slice(0, 13)}:00:00.000Z`));
    let supply = 1;
    for (const hour of hours) {
      const prices = [priceOfOne(supply)];
      let volume = 0n;
      const inHour = trades.filter(({ time }) => time.toISOString().slice(0, 13) === hour.slice(0, 13));
      for (const trade of inHour) {
        supply += trade.kind === 'bought' ? trade.amount : -trade.amount;
        prices.push(priceOfOne(supply));
        volume += trade.price;
      }
      const sorted = [...prices].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
      rows.push({
        agent,
        hour,
        open: text(prices[0] as bigint),
        high: text(sorted.at(-1) as bigint),
        low: text(sorted[0] as bigint),
        close: text(prices.at(-1) as bigint),
        volume: text(volume),
        trades: text(inHour.length),
      });
    }
  }
  return rows;
}

function withdrawals(facts: readonly Fact[]): Row[] {
  const rows: Row[] = [];
  for (const fact of facts) {
    if (fact.kind !== 'withdrawn') continue;
    const place = { block_number: text(fact.blockNumber), log_index: text(fact.logIndex) };
    const at = { ...place, block_time: fact.time.toISOString() };
    rows.push({
      tx_hash: fact.txHash,
      ordinal: text(fact.ordinal),
      agent: fact.agent,
      amount: text(fact.amount),
      ...at,
    });
  }
  return rows;
}

export type Day = {
  readonly volume: bigint;
  readonly trades: number;
  readonly traders: number;
  readonly newHolders: number;
  /** Change of the ticket price in percent, with two decimals, rounded half away from zero. */
  readonly change: number;
};

/** Computes the figures of an agent for the 24 hours before `now`. */
export function oracleDay(facts: readonly Fact[], agent: string, now: Date): Day {
  const begin = now.getTime() - 24 * 3600 * 1000;
  let [supplyThen, supplyNow, volume] = [1, 1, 0n];
  const traders: string[] = [];
  for (const fact of facts) {
    if (!isTrade(fact) || fact.agent !== agent) continue;
    supplyNow += fact.kind === 'bought' ? fact.amount : -fact.amount;
    if (fact.time.getTime() <= begin) supplyThen = supplyNow;
    else {
      volume += fact.price;
      traders.push(fact.trader);
    }
  }
  const holders = oracle(facts).ticket_holding?.filter((row) => row.agent === agent) ?? [];
  const fresh = holders.filter(({ since }) => new Date(since ?? '').getTime() > begin);
  const [then, difference] = [priceOfOne(supplyThen), priceOfOne(supplyNow) - priceOfOne(supplyThen)];
  const size = difference < 0n ? -difference : difference;
  const hundredths = Number((size * 20_000n + then) / (2n * then));
  const change = (difference < 0n ? -hundredths : hundredths) / 100;
  return { volume, trades: traders.length, traders: new Set(traders).size, newHolders: fresh.length, change };
}
