import type { SqlEntityManager } from '@mikro-orm/sql';
import type { Fact, Traded } from '../chain/logs/facts.js';
import { arraysOf, type Column, deleteRows, insertRows, type Sql, sqlIn, unnest } from '../store/sql.js';
import { Candle, TicketHolding, TicketLot, WalletLedger } from './entities.js';
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
  // `applyTrade` asks whether the trader is an agent, so it needs the markets of traders, too.
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
/** A position, with the number of tickets that the facts sell of it. */
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
  // A lot has at least one ticket, so the oldest `sold` lots contain the tickets that are sold.
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
export async function saveBook(tx: SqlEntityManager, book: Book, newMarkets: ReadonlySet<string> = new Set()): Promise<void> {
  await saveMarkets(sqlIn(tx), book, newMarkets);
  await savePositions(tx, book);
  const ledgers = Array.from(book.ledgers, ([wallet, ledger]) => ({ wallet, ...ledger }));
  await insertRows(tx, WalletLedger, ledgers, { replaces: true });
  const candles = Array.from(book.candles, ([agent, hour, candle]) => ({ agent, hour: new Date(hour), ...candle }));
  await insertRows(tx, Candle, candles, { replaces: true });
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

async function savePositions(tx: SqlEntityManager, book: Book): Promise<void> {
  const positions = Array.from(book.positions, ([agent, holder, position]) => ({ agent, holder, ...position }));
  const [open, emptied] = [positions.filter(({ amount }) => amount > 0), positions.filter(({ amount }) => amount === 0)];
  await insertRows(tx, TicketHolding, open, { replaces: true });
  await deleteRows(tx, TicketHolding, emptied);
  const lots = positions.flatMap(({ agent, holder, lots }) => lots.map((lot) => ({ agent, holder, ...lot })));
  const [remaining, sold] = [lots.filter((lot) => lot.remaining > 0), lots.filter((lot) => lot.remaining === 0)];
  await insertRows(tx, TicketLot, remaining, { replaces: true });
  await deleteRows(tx, TicketLot, sold);
}
