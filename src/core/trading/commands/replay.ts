import type { Sql } from '../../../store/sql.js';
import { positionOf, TradeColumns } from '../fifo.js';
import { type Book, emptyBook, NestedMap, type Registration, replayCandles, type Trade } from '../rules.js';
import { saveBook } from './book.js';

export type Pair = { readonly agent: string; readonly holder: string };

type Row = Record<
  | 'type'
  | 'trader'
  | 'agent'
  | 'amount'
  | 'price'
  | 'protocol_fee'
  | 'agent_fee'
  | 'supply_after'
  | 'block_number'
  | 'log_index'
  | 'block_time',
  string
>;

const tradeOf = (row: Row): Trade => ({
  kind: row.type.endsWith('BUY') ? 'bought' : 'sold',
  trader: row.trader,
  agent: row.agent,
  amount: Number(row.amount),
  price: BigInt(row.price),
  protocolFee: BigInt(row.protocol_fee),
  agentFee: BigInt(row.agent_fee),
  supply: Number(row.supply_after),
  blockNumber: Number(row.block_number),
  logIndex: Number(row.log_index),
  time: new Date(row.block_time),
});

/** Recomputes positions and lots from the remaining trades. */
export async function replayPositions(sql: Sql, pairs: readonly Pair[]): Promise<void> {
  const keys = walletsOf(pairs);
  for (const table of ['ticket_holding', 'ticket_lot']) {
    await sql(
      `delete from ${table} using ${WANTED} where ${table}.agent = wanted.agent and ${table}.holder = wanted.holder`,
      keys,
    );
  }
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
  await saveBook(sql, { book: { ...emptyBook(), positions }, storedMarkets: new Set() });
}

const walletsOf = (pairs: readonly Pair[]): readonly [agents: string[], holders: string[]] => [
  pairs.map(({ agent }) => agent),
  pairs.map(({ holder }) => holder),
];
const WANTED = 'unnest($1::varchar[], $2::varchar[]) as wanted(agent, holder)';

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
  const wanted = walletsOf(pairs);
  const [keys] = await sql<{ all: string }>(
    `select array_agg(${keyOf('wanted.agent', 'wanted.holder')})::text as "all" from ${WANTED}`,
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
  const rows = await sql<Record<'wallet' | 'block_number' | 'log_index' | 'registered_at', string>>(
    'select wallet, block_number, log_index, registered_at from market where wallet = any($1::varchar[])',
    [agents],
  );
  return new Map(
    rows.map(({ wallet, block_number, log_index, registered_at }) => [
      wallet,
      {
        agent: wallet,
        blockNumber: Number(block_number),
        logIndex: Number(log_index),
        time: new Date(registered_at),
      },
    ]),
  );
}

/** Recomputes the candles of some hours. */
export async function replayCandlesOf(
  sql: Sql,
  hours: readonly { agent: string; hour: string | Date }[],
): Promise<void> {
  const columns = [hours.map(({ agent }) => agent), hours.map(({ hour }) => new Date(hour).toISOString())];
  const wanted = 'unnest($1::varchar[], $2::text[]) as wanted(agent, hour)';
  await sql(
    `delete from candle using ${wanted} where candle.agent = wanted.agent and candle.hour = wanted.hour::timestamptz`,
    columns,
  );
  const rows = await sql<Row>(
    `select t.* from transaction t join ${wanted} on t.agent = wanted.agent
       and t.block_time >= wanted.hour::timestamptz and t.block_time < wanted.hour::timestamptz + interval '1 hour'
     order by t.block_number, t.log_index`,
    columns,
  );
  const candles = replayCandles(rows.map(tradeOf));
  await saveBook(sql, {
    book: { ...emptyBook(), candles },
    storedMarkets: new Set(),
  });
}
