import type { Sql } from '../../../store/sql.js';
import {
  type Book,
  emptyBook,
  positionKey,
  type Registration,
  replayCandles,
  replayPosition,
  type Trade,
} from '../rules.js';
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

/** Makes positions and lots anew from the trades that are left. */
export async function replayPositions(sql: Sql, pairs: readonly Pair[]): Promise<void> {
  const keys = [pairs.map(({ agent }) => agent), pairs.map(({ holder }) => holder)];
  const wanted = 'unnest($1::varchar[], $2::varchar[]) as wanted(agent, holder)';
  for (const table of ['ticket_holding', 'ticket_lot']) {
    await sql(
      `delete from ${table} using ${wanted} where ${table}.agent = wanted.agent and ${table}.holder = wanted.holder`,
      keys,
    );
  }
  const rows = await sql<Row>(
    `select t.* from transaction t join ${wanted} on t.agent = wanted.agent and t.trader = wanted.holder
     order by t.block_number, t.log_index`,
    keys,
  );
  const trades = new Map<string, Trade[]>(pairs.map(({ agent, holder }) => [positionKey(agent, holder), []]));
  for (const row of rows) trades.get(positionKey(row.agent, row.trader))?.push(tradeOf(row));
  const registrations = await registrationsOf(
    sql,
    pairs.filter(({ agent, holder }) => agent === holder).map(({ agent }) => agent),
  );
  const positions: Book['positions'] = new Map();
  for (const { agent, holder } of pairs) {
    const key = positionKey(agent, holder);
    const own = agent === holder ? (registrations.get(agent) ?? null) : null;
    const position = replayPosition(own, trades.get(key) ?? []);
    if (position === undefined) continue;
    positions.set(key, { ...position, lots: position.lots.slice(position.sold), sold: 0 });
  }
  await saveBook(sql, { book: { ...emptyBook(), positions }, storedMarkets: new Set() });
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

/** Makes the candles of some hours anew. */
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
  const candles = new Map(replayCandles(rows.map(tradeOf)));
  await saveBook(sql, {
    book: { ...emptyBook(), candles },
    storedMarkets: new Set(),
  });
}
