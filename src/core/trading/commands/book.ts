import type { Fact, Traded } from '../../../chain/logs/facts.js';
import { arraysOf, type Column, insertMany, type Sql, unnest } from '../../../store/sql.js';
import { type Book, emptyBook, hourOf, type Lot, NestedMap, type TradeOutcome } from '../rules.js';

/** A book and the markets that were already stored, so that saving can tell inserts from updates. */
export type LoadedBook = { readonly book: Book; readonly storedMarkets: ReadonlySet<string> };

export type AppliedTrade = { readonly trade: Traded; readonly outcome: TradeOutcome };

/** Loads the rows that the facts touch. Of the lots it loads only as many as the sales can consume. */
export async function loadBook(sql: Sql, facts: readonly Fact[]): Promise<LoadedBook> {
  const wallets = new Set<string>();
  const traders = new Set<string>();
  const pairs = new NestedMap<string, Pair>();
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
    Array.from(pairs, ([, , pair]) => pair),
  );
  await loadLedgers(sql, book, [...traders]);
  await loadCandles(
    sql,
    book,
    Array.from(hours, ([agent, hour]) => ({ agent, hour })),
  );
  return { book, storedMarkets: new Set(book.markets.keys()) };
}

async function loadMarkets(sql: Sql, book: Book, wallets: string[]): Promise<void> {
  type Row = Record<'wallet' | 'supply' | 'holder_count' | 'fees_earned' | 'trade_count' | 'volume', string>;
  const rows = await sql<Row>(
    'select wallet, supply, holder_count, fees_earned, trade_count, volume from market where wallet = any($1::varchar[])',
    [wallets],
  );
  for (const row of rows) {
    book.markets.set(row.wallet, {
      supply: Number(row.supply),
      holderCount: Number(row.holder_count),
      feesEarned: BigInt(row.fees_earned),
      tradeCount: Number(row.trade_count),
      volume: BigInt(row.volume),
    });
  }
}

type Pair = { readonly agent: string; readonly holder: string; sold: number };

async function loadPositions(sql: Sql, book: Book, pairs: readonly Pair[]): Promise<void> {
  const keys = [pairs.map(({ agent }) => agent), pairs.map(({ holder }) => holder)];
  type Row = Record<'agent' | 'holder' | 'amount' | 'cost' | 'since', string>;
  const rows = await sql<Row>(
    `select agent, holder, amount, cost, since from ticket_holding
     join unnest($1::varchar[], $2::varchar[]) as pair(agent, holder) using (agent, holder)`,
    keys,
  );
  for (const { agent, holder, amount, cost, since } of rows) {
    book.positions.set(agent, holder, {
      amount: Number(amount),
      cost: BigInt(cost),
      since: new Date(since),
      lots: [],
      sold: 0,
    });
  }
  type LotRow = Record<'agent' | 'holder' | 'block_number' | 'log_index' | 'remaining' | 'cost', string>;
  const lots = await sql<LotRow>(
    `select pair.agent, pair.holder, block_number, log_index, remaining, cost
     from unnest($1::varchar[], $2::varchar[], $3::int[]) as pair(agent, holder, sold)
     cross join lateral (
       select block_number, log_index, remaining, cost from ticket_lot
       where ticket_lot.agent = pair.agent and ticket_lot.holder = pair.holder
       order by block_number, log_index limit pair.sold
     ) lot order by block_number, log_index`,
    [...keys, pairs.map(({ sold }) => sold)],
  );
  for (const { agent, holder, block_number, log_index, remaining, cost } of lots) {
    book.positions.get(agent, holder)?.lots.push({
      blockNumber: Number(block_number),
      logIndex: Number(log_index),
      remaining: Number(remaining),
      cost: BigInt(cost),
    });
  }
}

async function loadLedgers(sql: Sql, book: Book, wallets: string[]): Promise<void> {
  type Row = Record<'wallet' | 'trade_count' | 'sell_count' | 'bought' | 'realized', string>;
  const rows = await sql<Row>(
    'select wallet, trade_count, sell_count, bought, realized from wallet_ledger where wallet = any($1::varchar[])',
    [wallets],
  );
  for (const row of rows) {
    book.ledgers.set(row.wallet, {
      tradeCount: Number(row.trade_count),
      sellCount: Number(row.sell_count),
      bought: BigInt(row.bought),
      realized: BigInt(row.realized),
    });
  }
}

async function loadCandles(sql: Sql, book: Book, hours: readonly { agent: string; hour: number }[]): Promise<void> {
  type Row = Record<'agent' | 'hour' | 'open' | 'high' | 'low' | 'close' | 'volume' | 'trades', string>;
  const rows = await sql<Row>(
    `select candle.* from candle
     join unnest($1::varchar[], $2::text[]) as wanted(agent, hour)
       on candle.agent = wanted.agent and candle.hour = wanted.hour::timestamptz`,
    [hours.map(({ agent }) => agent), hours.map(({ hour }) => new Date(hour).toISOString())],
  );
  for (const { agent, hour, open, high, low, close, volume, trades } of rows) {
    book.candles.set(agent, new Date(hour).getTime(), {
      open: BigInt(open),
      high: BigInt(high),
      low: BigInt(low),
      close: BigInt(close),
      volume: BigInt(volume),
      trades: Number(trades),
    });
  }
}

/** Writes all rows of the book except new markets, which the caller inserts with their registration. */
export async function saveBook(sql: Sql, { book, storedMarkets }: LoadedBook): Promise<void> {
  await saveMarkets(sql, book, storedMarkets);
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

async function saveMarkets(sql: Sql, book: Book, stored: ReadonlySet<string>): Promise<void> {
  const markets = [...book.markets].filter(([wallet]) => stored.has(wallet));
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
      agent: ['varchar', open.map(({ agent }) => agent)],
      holder: ['varchar', open.map(({ holder }) => holder)],
      amount: ['int', open.map(({ position }) => position.amount)],
      cost: ['numeric', open.map(({ position }) => position.cost)],
      since: ['timestamptz', open.map(({ position }) => position.since)],
    },
    'on conflict (agent, holder) do update set amount = excluded.amount, cost = excluded.cost, since = excluded.since',
  );
  if (emptied.length > 0) {
    await sql(
      `delete from ticket_holding using unnest($1::varchar[], $2::varchar[]) as gone(agent, holder)
       where ticket_holding.agent = gone.agent and ticket_holding.holder = gone.holder`,
      [emptied.map(({ agent }) => agent), emptied.map(({ holder }) => holder)],
    );
  }
  const lots = positions.flatMap(({ agent, holder, position }) => position.lots.map((lot) => ({ agent, holder, lot })));
  await saveLots(
    sql,
    lots.filter(({ lot }) => lot.remaining > 0),
  );
  const exhausted = lots.filter(({ lot }) => lot.remaining === 0);
  if (exhausted.length > 0) {
    await sql(
      `delete from ticket_lot
       using unnest($1::varchar[], $2::varchar[], $3::bigint[], $4::int[]) as used(agent, holder, block_number, log_index)
       where ticket_lot.agent = used.agent and ticket_lot.holder = used.holder
         and ticket_lot.block_number = used.block_number and ticket_lot.log_index = used.log_index`,
      [
        exhausted.map(({ agent }) => agent),
        exhausted.map(({ holder }) => holder),
        exhausted.map(({ lot }) => lot.blockNumber),
        exhausted.map(({ lot }) => lot.logIndex),
      ],
    );
  }
}

async function saveLots(sql: Sql, lots: readonly { agent: string; holder: string; lot: Lot }[]): Promise<void> {
  await insertMany(
    sql,
    'ticket_lot',
    {
      agent: ['varchar', lots.map(({ agent }) => agent)],
      holder: ['varchar', lots.map(({ holder }) => holder)],
      block_number: ['bigint', lots.map(({ lot }) => lot.blockNumber)],
      log_index: ['int', lots.map(({ lot }) => lot.logIndex)],
      remaining: ['int', lots.map(({ lot }) => lot.remaining)],
      cost: ['numeric', lots.map(({ lot }) => lot.cost)],
    },
    `on conflict (agent, holder, block_number, log_index)
     do update set remaining = excluded.remaining, cost = excluded.cost`,
  );
}
