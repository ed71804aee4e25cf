import type { Fact, Traded } from '../chain/logs/facts.js';
import { arraysOf, type Column, deleteMany, insertMany, type Sql, unnest } from '../store/sql.js';
import {
  type Book,
  type CandleState,
  emptyBook,
  hourOf,
  type Ledger,
  type Lot,
  type MarketState,
  NestedMap,
  type Position,
  type TradeOutcome,
} from './rules.js';

export type AppliedTrade = { readonly trade: Traded; readonly outcome: TradeOutcome };

/** Loads the rows that the facts touch. Of the lots it loads only as many as the sales can consume. */
export async function loadBook(sql: Sql, facts: readonly Fact[]): Promise<Book> {
  const wallets = new Set<string>();
  const traders = new Set<string>();
  const pairs = new NestedMap<string, SoldPair>();
  const hours = new NestedMap<number, true>();
  for (const fact of facts) {
    const { agent } = fact;
    wallets.add(agent);
    if (fact.kind !== 'bought' && fact.kind !== 'sold') continue;
    traders.add(fact.trader);
    let pair = pairs.get(agent, fact.trader);
    if (pair === undefined) {
      pair = { agent, holder: fact.trader, sold: 0 };
      pairs.set(agent, fact.trader, pair);
    }
    if (fact.kind === 'sold') pair.sold += fact.amount;
    hours.set(agent, hourOf(fact.time), true);
  }
  for (const trader of traders) wallets.add(trader);
  const book = emptyBook();
  await loadMarkets(sql, book, [...wallets]);
  await loadPositions(
    sql,
    book,
    [...pairs].map(([, , pair]) => pair),
  );
  await loadLedgers(sql, book, [...traders]);
  await loadCandles(sql, book, [...hours]);
  return book;
}

async function loadMarkets(sql: Sql, book: Book, wallets: string[]): Promise<void> {
  const rows = await sql<MarketState & { wallet: string }>(
    `select wallet, supply, holder_count as "holderCount", fees_earned as "feesEarned", trade_count as "tradeCount", volume
     from market where wallet = any($1::varchar[])`,
    [wallets],
  );
  for (const { wallet, ...market } of rows) book.markets.set(wallet, market);
}

export type Pair = { readonly agent: string; readonly holder: string };
type SoldPair = Pair & { sold: number };

async function loadPositions(sql: Sql, book: Book, pairs: readonly SoldPair[]): Promise<void> {
  const keys = [pairs.map(({ agent }) => agent), pairs.map(({ holder }) => holder)];
  const rows = await sql<Omit<Position, 'lots' | 'sold'> & Pair>(
    `select agent, holder, amount, cost, since from ticket_holding
     join unnest($1::varchar[], $2::varchar[]) as pair(agent, holder) using (agent, holder)`,
    keys,
  );
  for (const { agent, holder, ...position } of rows) {
    book.positions.set(agent, holder, { ...position, lots: [], sold: 0 });
  }
  const lots = await sql<Lot & Pair>(
    `select pair.agent, pair.holder, block_number as "blockNumber", log_index as "logIndex", remaining, cost
     from unnest($1::varchar[], $2::varchar[], $3::int[]) as pair(agent, holder, sold)
     cross join lateral (
       select block_number, log_index, remaining, cost from ticket_lot
       where ticket_lot.agent = pair.agent and ticket_lot.holder = pair.holder
       order by block_number, log_index limit pair.sold
     ) lot order by block_number, log_index`,
    [...keys, pairs.map(({ sold }) => sold)],
  );
  for (const { agent, holder, ...lot } of lots) book.positions.get(agent, holder)?.lots.push(lot);
}

async function loadLedgers(sql: Sql, book: Book, wallets: string[]): Promise<void> {
  const rows = await sql<Ledger & { wallet: string }>(
    `select wallet, trade_count as "tradeCount", sell_count as "sellCount", bought, realized
     from wallet_ledger where wallet = any($1::varchar[])`,
    [wallets],
  );
  for (const { wallet, ...ledger } of rows) book.ledgers.set(wallet, ledger);
}

async function loadCandles(sql: Sql, book: Book, hours: readonly (readonly [string, number, true])[]): Promise<void> {
  const rows = await sql<CandleState & { agent: string; hour: Date }>(
    `select candle.* from candle
     join unnest($1::varchar[], $2::text[]) as wanted(agent, hour)
       on candle.agent = wanted.agent and candle.hour = wanted.hour::timestamptz`,
    [hours.map(([agent]) => agent), hours.map(([, hour]) => new Date(hour).toISOString())],
  );
  for (const { agent, hour, ...candle } of rows) book.candles.set(agent, hour.getTime(), candle);
}

/** Writes all rows of the book except new markets, which the caller inserts with their registration. */
export async function saveBook(sql: Sql, book: Book, newMarkets: ReadonlySet<string> = new Set()): Promise<void> {
  await saveMarkets(sql, book, newMarkets);
  await savePositions(sql, book);
  const ledgers = [...book.ledgers];
  await insertMany(
    sql,
    'wallet_ledger',
    {
      wallet: ['varchar', ledgers.map(([wallet]) => wallet)],
      trade_count: ['int', ledgers.map(([, ledger]) => ledger.tradeCount)],
      sell_count: ['int', ledgers.map(([, ledger]) => ledger.sellCount)],
      bought: ['numeric', ledgers.map(([, ledger]) => ledger.bought)],
      realized: ['numeric', ledgers.map(([, ledger]) => ledger.realized)],
    },
    `on conflict (wallet) do update set trade_count = excluded.trade_count, sell_count = excluded.sell_count,
       bought = excluded.bought, realized = excluded.realized`,
  );
  const candles = [...book.candles];
  await insertMany(
    sql,
    'candle',
    {
      agent: ['varchar', candles.map(([agent]) => agent)],
      hour: ['timestamptz', candles.map(([, hour]) => new Date(hour))],
      open: ['numeric', candles.map(([, , candle]) => candle.open)],
      high: ['numeric', candles.map(([, , candle]) => candle.high)],
      low: ['numeric', candles.map(([, , candle]) => candle.low)],
      close: ['numeric', candles.map(([, , candle]) => candle.close)],
      volume: ['numeric', candles.map(([, , candle]) => candle.volume)],
      trades: ['int', candles.map(([, , candle]) => candle.trades)],
    },
    `on conflict (agent, hour) do update set high = excluded.high, low = excluded.low, close = excluded.close,
       volume = excluded.volume, trades = excluded.trades`,
  );
}

async function saveMarkets(sql: Sql, book: Book, newMarkets: ReadonlySet<string>): Promise<void> {
  const markets = [...book.markets].filter(([wallet]) => !newMarkets.has(wallet));
  if (markets.length === 0) return;
  const columns: Record<string, Column> = {
    wallet: ['varchar', markets.map(([wallet]) => wallet)],
    supply: ['bigint', markets.map(([, market]) => market.supply)],
    holder_count: ['int', markets.map(([, market]) => market.holderCount)],
    fees_earned: ['numeric', markets.map(([, market]) => market.feesEarned)],
    trade_count: ['int', markets.map(([, market]) => market.tradeCount)],
    volume: ['numeric', markets.map(([, market]) => market.volume)],
  };
  await sql(
    `update market set (supply, holder_count, fees_earned, trade_count, volume)
       = (given.supply, given.holder_count, given.fees_earned, given.trade_count, given.volume)
     from ${unnest(columns)} where market.wallet = given.wallet`,
    arraysOf(columns),
  );
}

async function savePositions(sql: Sql, book: Book): Promise<void> {
  const positions = Array.from(book.positions, ([agent, holder, position]) => ({ agent, holder, position }));
  const open = positions.filter(({ position }) => position.amount > 0);
  const emptied = positions.filter(({ position }) => position.amount === 0);
  await insertMany(
    sql,
    'ticket_holding',
    {
      ...pairColumns(open),
      amount: ['int', open.map(({ position }) => position.amount)],
      cost: ['numeric', open.map(({ position }) => position.cost)],
      since: ['timestamptz', open.map(({ position }) => position.since)],
    },
    'on conflict (agent, holder) do update set amount = excluded.amount, cost = excluded.cost, since = excluded.since',
  );
  await deleteMany(sql, 'ticket_holding', pairColumns(emptied));
  const lots = positions.flatMap(({ agent, holder, position }) => position.lots.map((lot) => ({ agent, holder, lot })));
  const remaining = lots.filter(({ lot }) => lot.remaining > 0);
  await insertMany(
    sql,
    'ticket_lot',
    {
      ...lotKeys(remaining),
      remaining: ['int', remaining.map(({ lot }) => lot.remaining)],
      cost: ['numeric', remaining.map(({ lot }) => lot.cost)],
    },
    `on conflict (agent, holder, block_number, log_index)
     do update set remaining = excluded.remaining, cost = excluded.cost`,
  );
  await deleteMany(sql, 'ticket_lot', lotKeys(lots.filter(({ lot }) => lot.remaining === 0)));
}

export const pairColumns = (pairs: readonly Pair[]): Record<string, Column> => ({
  agent: ['varchar', pairs.map(({ agent }) => agent)],
  holder: ['varchar', pairs.map(({ holder }) => holder)],
});

const lotKeys = (lots: readonly (Pair & { readonly lot: Lot })[]): Record<string, Column> => ({
  ...pairColumns(lots),
  block_number: ['bigint', lots.map(({ lot }) => lot.blockNumber)],
  log_index: ['int', lots.map(({ lot }) => lot.logIndex)],
});
