import { createHash } from 'node:crypto';
import type { Fact, Traded } from '../../../src/chain/logs/facts.js';

// Computes the tables that the index must have after a list of facts in chain order. It uses plain loops and separate arithmetic,
// and calls no code under test. Every value of a row is text.

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
  fee_destination: ['tx_hash', 'ordinal'],
};

const squarePrice = 10n ** 18n / 50_000n;
/** The price of the next ticket at this supply. */
const priceOfOne = (supply: number): bigint => BigInt(supply) * BigInt(supply) * squarePrice;
const idOf = (key: string): string => createHash('sha256').update(key).digest('base64url').slice(0, 22);
const isTrade = (fact: Fact): fact is Traded => fact.kind === 'bought' || fact.kind === 'sold';
const place = ({ txHash: tx_hash, ordinal, blockNumber: block_number, logIndex: log_index }: Fact) => {
  return { tx_hash, ordinal, block_number, log_index };
};
/** A row before its values are converted to text. */
type Draft = Readonly<Record<string, string | number | bigint | Date | null>>;

/** A lot, with the cost of its remaining tickets together. Sales would round a cost per ticket, so the costs would not add up. */
type Lot = { block_number: number; log_index: number; remaining: number; cost: bigint };
type Gain = { readonly basis: bigint; readonly pnl: bigint };

export function oracle(facts: readonly Fact[]): Tables {
  const wallets = new Set<string>();
  for (const fact of facts) {
    wallets.add(fact.agent);
    if (isTrade(fact)) wallets.add(fact.trader);
  }
  const gains = new Map<Fact, Gain>();
  const holdings: Draft[] = [];
  const lotRows: Draft[] = [];
  for (const agent of wallets) {
    for (const holder of wallets) {
      const { lots, since } = position(facts, agent, holder, gains);
      if (lots.length === 0) continue;
      let amount = 0;
      let cost = 0n;
      for (const lot of lots) {
        amount += lot.remaining;
        cost += lot.cost;
        lotRows.push({ agent, holder, ...lot });
      }
      holdings.push({ agent, holder, amount, cost, since });
    }
  }
  const drafts = {
    market: markets(facts, holdings),
    transaction: transactions(facts, gains),
    ticket_holding: holdings,
    ticket_lot: lotRows,
    wallet_ledger: ledgers(facts, wallets, gains),
    candle: candles(facts, wallets),
    fee_withdrawal: facts
      .filter((fact) => fact.kind === 'withdrawn')
      .map((fact) => ({ ...place(fact), agent: fact.agent, amount: fact.amount, block_time: fact.time })),
    fee_destination: facts
      .filter((fact) => fact.kind === 'redirected')
      .map((fact) => ({ ...place(fact), agent: fact.agent, destination: fact.destination })),
  };
  return Object.fromEntries(
    Object.entries(drafts).map(([table, rows]) => [table, rows.sort(inOrderOf(sortKeys[table] ?? [])).map(asText)]),
  );
}

const inOrderOf = (keys: readonly string[]) => (a: Draft, b: Draft) => {
  const key = keys.find((key) => a[key] !== b[key]);
  return key === undefined ? 0 : (a[key] ?? '') < (b[key] ?? '') ? -1 : 1;
};
const asText = (row: Draft): Row =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, value instanceof Date ? value.toISOString() : (value?.toString() ?? null)]),
  );

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
      const { block_number, log_index } = place(fact);
      lots.push({ block_number, log_index, remaining: bought ? fact.amount : 1, cost });
    }
    if (fact.kind === 'sold' && fact.trader === holder) {
      let basis = 0n;
      let toSell = fact.amount;
      for (const lot of lots) {
        const k = Math.min(toSell, lot.remaining);
        const part = (lot.cost * BigInt(k)) / BigInt(lot.remaining);
        basis += part;
        lot.cost -= part;
        lot.remaining -= k;
        toSell -= k;
        if (toSell === 0) break;
      }
      if (toSell !== 0) throw new Error('the history sells more than there is');
      lots = lots.filter((lot) => lot.remaining !== 0);
      gains.set(fact, { basis, pnl: fact.price - fact.protocolFee - fact.agentFee - basis });
    }
  }
  return { lots, since };
}

function markets(facts: readonly Fact[], holdings: readonly Draft[]): Draft[] {
  return facts
    .filter((fact) => fact.kind === 'registered')
    .map((fact) => {
      const trades = facts.filter(isTrade).filter(({ agent }) => agent === fact.agent);
      let [supply, fees_earned, volume] = [1, 0n, 0n];
      for (const trade of trades) {
        supply += trade.kind === 'bought' ? trade.amount : -trade.amount;
        fees_earned += trade.agentFee;
        volume += trade.price;
      }
      const holder_count = holdings.filter(({ agent }) => agent === fact.agent).length;
      return {
        ...place(fact),
        wallet: fact.agent,
        name: fact.name,
        agent_id: fact.agentId,
        registered_at: fact.time,
        supply,
        holder_count,
        fees_earned,
        volume,
        trade_count: trades.length,
        event_id: idOf(`registration:${fact.agent}`),
      };
    });
}

function transactions(facts: readonly Fact[], gains: ReadonlyMap<Fact, Gain>): Draft[] {
  const registered = new Set<string>();
  const rows: Draft[] = [];
  for (const fact of facts) {
    if (fact.kind === 'registered') registered.add(fact.agent);
    if (!isTrade(fact)) continue;
    const { kind, trader, agent, amount, price, time } = fact;
    rows.push({
      ...place(fact),
      trader,
      agent,
      amount,
      price,
      block_time: time,
      type: (registered.has(trader) ? 'AGENT_' : '') + (kind === 'bought' ? 'BUY' : 'SELL'),
      protocol_fee: fact.protocolFee,
      agent_fee: fact.agentFee,
      supply_after: fact.supply,
      cost_basis: gains.get(fact)?.basis ?? null,
      realized_pnl: gains.get(fact)?.pnl ?? null,
      event_id: idOf(`trade:${fact.txHash}:${fact.ordinal}`),
    });
  }
  return rows;
}

function ledgers(facts: readonly Fact[], wallets: ReadonlySet<string>, gains: ReadonlyMap<Fact, Gain>): Draft[] {
  const rows: Draft[] = [];
  for (const wallet of wallets) {
    let [trade_count, sell_count, bought, realized] = [0, 0, 0n, 0n];
    for (const fact of facts) {
      if (!isTrade(fact) || fact.trader !== wallet) continue;
      trade_count += 1;
      if (fact.kind === 'sold') sell_count += 1;
      else bought += fact.price + fact.protocolFee + fact.agentFee;
      realized += gains.get(fact)?.pnl ?? 0n;
    }
    if (trade_count > 0) rows.push({ wallet, trade_count, sell_count, bought, realized });
  }
  return rows;
}

function candles(facts: readonly Fact[], wallets: ReadonlySet<string>): Draft[] {
  const rows: Draft[] = [];
  const hourOf = ({ time }: Traded) => `${time.toISOString().slice(0, 13)}:00:00.000Z`;
  for (const agent of wallets) {
    const all = facts.filter(isTrade).filter((trade) => trade.agent === agent);
    let supply = 1;
    for (const hour of new Set(all.map(hourOf))) {
      const open = priceOfOne(supply);
      let [high, low, close, volume, trades] = [open, open, open, 0n, 0];
      for (const trade of all.filter((trade) => hourOf(trade) === hour)) {
        supply += trade.kind === 'bought' ? trade.amount : -trade.amount;
        close = priceOfOne(supply);
        if (close > high) high = close;
        if (close < low) low = close;
        volume += trade.price;
        trades += 1;
      }
      rows.push({ agent, hour, open, high, low, close, volume, trades });
    }
  }
  return rows;
}

/** Computes the figures of an agent for the 24 hours before `now`. */
export function oracleDay(facts: readonly Fact[], agent: string, now: Date) {
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
  // The change in percent with two decimals, rounded half away from zero.
  const hundredths = Number((size * 20_000n + then) / (2n * then));
  const change = (difference < 0n ? -hundredths : hundredths) / 100;
  return { volume, trades: traders.length, traders: new Set(traders).size, newHolders: fresh.length, change };
}
