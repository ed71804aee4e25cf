import type { Registered, Traded } from '../../src/chain/logs/facts.js';
import { applyRegistration, applyTrade, type Book, emptyBook, hourOf } from '../../src/index/rules.js';
import { insertMany, type Sql } from '../../src/store/sql.js';
import { eventId, registrationKey, tradeKey } from '../../src/values/trade.js';

// Stores the rows that the rules of the service (src/index/rules.ts) make of the facts.

/** Number of trades or positions that are inserted in one statement. */
const BATCH = 20_000;

export async function storeHistory(
  sql: Sql,
  { registered, traded }: { readonly registered: readonly Registered[]; readonly traded: Iterable<Traded> },
  progress: (trades: number) => void,
  batchSize = BATCH,
): Promise<void> {
  const book = emptyBook();
  for (const fact of registered) applyRegistration(book, fact);
  // The write of the last batch. This process computes the next batch while the server stores that one.
  let writing: Promise<unknown> = Promise.resolve();
  let batch: TradeRow[] = [];
  let count = 0;
  const write = async (work: () => Promise<unknown>) => {
    await writing;
    writing = work();
    // The next `await writing` throws the failure. Without this, it would end the process before.
    writing.catch(() => {});
  };
  for (const trade of traded) {
    batch.push({ trade, outcome: applyTrade(book, trade) });
    if (batch.length < batchSize) continue;
    const [rows, hours] = [batch, pastCandles(book, hourOf(trade.time))];
    batch = [];
    dropUsedLots(book, rows);
    await write(() => Promise.all([insertTrades(sql, rows), insertCandles(sql, hours)]));
    count += rows.length;
    progress(count);
  }
  await write(() => Promise.all([insertTrades(sql, batch), insertCandles(sql, [...book.candles])]));
  await writing;
  await insertMarkets(sql, book, registered);
  await insertPositions(sql, book);
  await insertLedgers(sql, book);
}

type TradeRow = { readonly trade: Traded; readonly outcome: ReturnType<typeof applyTrade> };
type Candles = (Book['candles'] extends Iterable<infer Entry> ? Entry : never)[];

/** Removes the candles of past hours from the book and returns them. */
function pastCandles(book: Book, now: number): Candles {
  const past = [...book.candles].filter(([, hour]) => hour < now);
  for (const [agent, hour] of past) book.candles.delete(agent, hour);
  return past;
}

/** Removes lots without tickets from the book. They have no rows, and would fill the memory. */
function dropUsedLots(book: Book, rows: readonly TradeRow[]): void {
  for (const { trade } of rows) {
    const position = book.positions.get(trade.agent, trade.trader);
    if (position && position.sold > 0) position.lots.splice(0, position.sold);
    if (position) position.sold = 0;
  }
}

async function insertTrades(sql: Sql, rows: readonly TradeRow[]): Promise<void> {
  const facts = rows.map(({ trade }) => trade);
  await insertMany(sql, 'transaction', {
    tx_hash: ['varchar', facts.map(({ txHash }) => txHash)],
    ordinal: ['int', facts.map(({ ordinal }) => ordinal)],
    type: ['text', rows.map(({ outcome }) => outcome.type)],
    trader: ['varchar', facts.map(({ trader }) => trader)],
    agent: ['varchar', facts.map(({ agent }) => agent)],
    amount: ['int', facts.map(({ amount }) => amount)],
    price: ['numeric', facts.map(({ price }) => price)],
    protocol_fee: ['numeric', facts.map(({ protocolFee }) => protocolFee)],
    agent_fee: ['numeric', facts.map(({ agentFee }) => agentFee)],
    supply_after: ['bigint', facts.map(({ supply }) => supply)],
    cost_basis: ['numeric', rows.map(({ outcome }) => outcome.costBasis)],
    realized_pnl: ['numeric', rows.map(({ outcome }) => outcome.realizedPnl)],
    block_number: ['bigint', facts.map(({ blockNumber }) => blockNumber)],
    log_index: ['int', facts.map(({ logIndex }) => logIndex)],
    block_time: ['timestamptz', facts.map(({ time }) => time)],
    event_id: ['varchar', facts.map(({ txHash, ordinal }) => eventId(tradeKey(txHash, ordinal)))],
  });
}

async function insertCandles(sql: Sql, rows: Candles): Promise<void> {
  await insertMany(sql, 'candle', {
    agent: ['varchar', rows.map(([agent]) => agent)],
    hour: ['timestamptz', rows.map(([, hour]) => new Date(hour))],
    open: ['numeric', rows.map(([, , { open }]) => open)],
    high: ['numeric', rows.map(([, , { high }]) => high)],
    low: ['numeric', rows.map(([, , { low }]) => low)],
    close: ['numeric', rows.map(([, , { close }]) => close)],
    volume: ['numeric', rows.map(([, , { volume }]) => volume)],
    trades: ['int', rows.map(([, , { trades }]) => trades)],
  });
}

async function insertMarkets(sql: Sql, book: Book, registered: readonly Registered[]): Promise<void> {
  const rows = registered.map((fact) => ({
    fact,
    state: book.markets.get(fact.agent) as NonNullable<ReturnType<Book['markets']['get']>>,
  }));
  await insertMany(sql, 'market', {
    wallet: ['varchar', rows.map(({ fact }) => fact.agent)],
    name: ['varchar', rows.map(({ fact }) => fact.name)],
    agent_id: ['varchar', rows.map(({ fact }) => fact.agentId)],
    supply: ['bigint', rows.map(({ state }) => state.supply)],
    holder_count: ['int', rows.map(({ state }) => state.holderCount)],
    fees_earned: ['numeric', rows.map(({ state }) => state.feesEarned)],
    trade_count: ['int', rows.map(({ state }) => state.tradeCount)],
    volume: ['numeric', rows.map(({ state }) => state.volume)],
    tx_hash: ['varchar', rows.map(({ fact }) => fact.txHash)],
    ordinal: ['int', rows.map(({ fact }) => fact.ordinal)],
    block_number: ['bigint', rows.map(({ fact }) => fact.blockNumber)],
    log_index: ['int', rows.map(({ fact }) => fact.logIndex)],
    registered_at: ['timestamptz', rows.map(({ fact }) => fact.time)],
    event_id: ['varchar', rows.map(({ fact }) => eventId(registrationKey(fact.agent)))],
  });
}

async function insertPositions(sql: Sql, book: Book): Promise<void> {
  const open = [...book.positions].filter(([, , { amount }]) => amount > 0);
  for (let from = 0; from < open.length; from += BATCH) {
    const rows = open.slice(from, from + BATCH).map(([agent, holder, position]) => ({ agent, holder, position }));
    await insertMany(sql, 'ticket_holding', {
      agent: ['varchar', rows.map(({ agent }) => agent)],
      holder: ['varchar', rows.map(({ holder }) => holder)],
      amount: ['int', rows.map(({ position }) => position.amount)],
      cost: ['numeric', rows.map(({ position }) => position.cost)],
      since: ['timestamptz', rows.map(({ position }) => position.since)],
    });
    const lots = rows.flatMap(({ agent, holder, position }) =>
      position.lots.slice(position.sold).map((lot) => ({ agent, holder, lot })),
    );
    await insertMany(sql, 'ticket_lot', {
      agent: ['varchar', lots.map(({ agent }) => agent)],
      holder: ['varchar', lots.map(({ holder }) => holder)],
      block_number: ['bigint', lots.map(({ lot }) => lot.blockNumber)],
      log_index: ['int', lots.map(({ lot }) => lot.logIndex)],
      remaining: ['int', lots.map(({ lot }) => lot.remaining)],
      cost: ['numeric', lots.map(({ lot }) => lot.cost)],
    });
  }
}

async function insertLedgers(sql: Sql, book: Book): Promise<void> {
  const rows = [...book.ledgers];
  await insertMany(sql, 'wallet_ledger', {
    wallet: ['varchar', rows.map(([wallet]) => wallet)],
    trade_count: ['int', rows.map(([, ledger]) => ledger.tradeCount)],
    sell_count: ['int', rows.map(([, ledger]) => ledger.sellCount)],
    bought: ['numeric', rows.map(([, ledger]) => ledger.bought)],
    realized: ['numeric', rows.map(([, ledger]) => ledger.realized)],
  });
}
