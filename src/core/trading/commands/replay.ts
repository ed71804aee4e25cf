import { arraysOf, type Column, deleteMany, type Sql, unnest } from '../../../store/sql.js';
import { positionOf, TradeColumns } from '../fifo.js';
import { type Book, emptyBook, NestedMap, type PricedTrade, type Registration, replayCandles } from '../rules.js';
import { type Pair, pairColumns, saveBook } from './book.js';

/** Recomputes positions and lots from the remaining trades. */
export async function replayPositions(sql: Sql, pairs: readonly Pair[]): Promise<void> {
  for (const table of ['ticket_holding', 'ticket_lot']) await deleteMany(sql, table, pairColumns(pairs));
  const { columns, spans } = await loadTrades(sql, pairs);
  const registrations = await registrationsOf(
    sql,
    pairs.filter(({ agent, holder }) => agent === holder).map(({ agent }) => agent),
  );
  const positions: Book['positions'] = new NestedMap();
  for (const { agent, holder } of pairs) {
    const registration = agent === holder ? registrations.get(agent) : undefined;
    const { from, to } = spans.get(agent, holder) ?? { from: 0, to: 0 };
    const position = positionOf(columns, from, to, registration);
    if (position) positions.set(agent, holder, position);
  }
  await saveBook(sql, { ...emptyBook(), positions });
}

/** Trades in columns. `spans` gives the range [from, to) of each position. */
export type LoadedTrades = {
  readonly columns: TradeColumns;
  readonly spans: NestedMap<string, { readonly from: number; readonly to: number }>;
};

/** 64-bit hash. A collision only reads extra rows; the lookup compares the full pair. */
const keyOf = (agent: string, holder: string) => `hashtextextended(${holder}, hashtextextended(${agent}, 0))`;

/**
 * Reads the trades of positions in chain order. Each position is one row with concatenated trades, because the driver
 * spends most of its time on rows, and there are ten times as many trades as positions. Indexes find the trades by wallet
 * and the hash filters other pairs; a join with the pairs would double the time.
 */
export async function loadTrades(sql: Sql, pairs: readonly Pair[]): Promise<LoadedTrades> {
  const wanted = [pairs.map(({ agent }) => agent), pairs.map(({ holder }) => holder)];
  const [keys] = await sql<{ all: string }>(
    `select array_agg(${keyOf('wanted.agent', 'wanted.holder')})::text as "all"
     from unnest($1::varchar[], $2::varchar[]) as wanted(agent, holder)`,
    wanted,
  );
  const rows = await sql<Pair & { trades: string }>(
    `select agent, trader as holder, string_agg(
       concat_ws(' ', case when type in ('BUY', 'AGENT_BUY') then amount else -amount end, block_number, log_index,
         extract(epoch from block_time)::bigint, price + protocol_fee + agent_fee),
       ' ' order by block_number, log_index) as trades
     from transaction
     where agent = any($1::varchar[]) and trader = any($2::varchar[]) and ${keyOf('agent', 'trader')} = any($3::bigint[])
     group by agent, trader`,
    [...wanted.map((wallets) => [...new Set(wallets)]), keys?.all ?? '{}'],
  );
  const columns = new TradeColumns();
  const spans: LoadedTrades['spans'] = new NestedMap();
  for (const { agent, holder, trades } of rows) {
    const from = columns.count;
    columns.add(trades);
    spans.set(agent, holder, { from, to: columns.count });
  }
  return { columns, spans };
}

async function registrationsOf(sql: Sql, agents: readonly string[]): Promise<ReadonlyMap<string, Registration>> {
  const rows = await sql<Registration>(
    `select wallet as agent, block_number as "blockNumber", log_index as "logIndex", registered_at as time
     from market where wallet = any($1::varchar[])`,
    [agents],
  );
  return new Map(rows.map((registration) => [registration.agent, registration]));
}

/** Recomputes the candles of some hours. */
export async function replayCandlesOf(sql: Sql, hours: readonly { agent: string; hour: Date }[]): Promise<void> {
  const keys: Record<string, Column> = {
    agent: ['varchar', hours.map(({ agent }) => agent)],
    hour: ['timestamptz', hours.map(({ hour }) => hour)],
  };
  await deleteMany(sql, 'candle', keys);
  const trades = await sql<PricedTrade>(
    `select t.agent, case when t.type in ('BUY', 'AGENT_BUY') then 'bought' else 'sold' end as kind, t.amount, t.price,
       t.supply_after as supply, t.block_time as time
     from transaction t join ${unnest(keys)} on t.agent = given.agent
       and t.block_time >= given.hour and t.block_time < given.hour + interval '1 hour'
     order by t.block_number, t.log_index`,
    arraysOf(keys),
  );
  const candles = replayCandles(trades);
  await saveBook(sql, { ...emptyBook(), candles });
}
