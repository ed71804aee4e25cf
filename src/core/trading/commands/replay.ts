import type { Sql } from '../../../store/sql.js';
import { emptyBook, positionKey, type Registration, replayCandles, replayPosition, type Trade } from '../rules.js';
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
  for (const { agent, holder } of pairs) {
    await sql('delete from ticket_holding where agent = $1 and holder = $2', [agent, holder]);
    await sql('delete from ticket_lot where agent = $1 and holder = $2', [agent, holder]);
    const rows = await sql<Row>(
      'select * from transaction where agent = $1 and trader = $2 order by block_number, log_index',
      [agent, holder],
    );
    const own = agent === holder ? await registrationOf(sql, agent) : null;
    const position = replayPosition(own, rows.map(tradeOf));
    if (position === undefined) continue;
    const lots = position.lots.filter(({ remaining }) => remaining > 0);
    await saveBook(sql, {
      book: { ...emptyBook(), positions: new Map([[positionKey(agent, holder), { ...position, lots }]]) },
      storedMarkets: new Set(),
    });
  }
}

async function registrationOf(sql: Sql, agent: string): Promise<Registration> {
  const [row] = await sql<Record<'block_number' | 'log_index' | 'registered_at', string>>(
    'select block_number, log_index, registered_at from market where wallet = $1',
    [agent],
  );
  if (row === undefined) throw new Error(`trades in ${agent} without its registration`);
  return {
    agent,
    blockNumber: Number(row.block_number),
    logIndex: Number(row.log_index),
    time: new Date(row.registered_at),
  };
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
