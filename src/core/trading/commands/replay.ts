import { arraysOf, type Column, deleteMany, type Sql, unnest } from '../../../store/sql.js';
import { emptyBook, type PositionTrade, type PricedTrade, type Registration, Replay, replayCandles } from '../rules.js';
import { type Pair, pairColumns, saveBook } from './book.js';

/** Trades that are in memory at a time. 100,000 take about 120 MB. */
const PAGE = 100_000;

/** Recomputes positions and lots from the remaining trades. */
export async function replayPositions(sql: Sql, pairs: readonly Pair[]): Promise<void> {
  for (const table of ['ticket_holding', 'ticket_lot']) await deleteMany(sql, table, pairColumns(pairs));
  const registrations = await registrationsOf(
    sql,
    pairs.filter(({ agent, holder }) => agent === holder).map(({ agent }) => agent),
  );
  const replay = new Replay(registrations);
  for await (const trades of loadTrades(sql, pairs)) replay.add(trades);
  await saveBook(sql, { ...emptyBook(), positions: replay.positions });
}

/** 64-bit hash. A collision only reads extra rows, which are dropped. */
const keyOf = (agent: string, holder: string) => `hashtextextended(${holder}, hashtextextended(${agent}, 0))`;

/**
 * Reads the trades of positions page by page, in chain order. Indexes find the trades by wallet and the hash filters other pairs; a
 * join with the pairs would double the time.
 */
export async function* loadTrades(sql: Sql, pairs: readonly Pair[], page = PAGE): AsyncGenerator<PositionTrade[]> {
  const wanted = [pairs.map(({ agent }) => agent), pairs.map(({ holder }) => holder)];
  const [keys] = await sql<{ all: string }>(
    `select array_agg(${keyOf('wanted.agent', 'wanted.holder')})::text as "all"
     from unnest($1::varchar[], $2::varchar[]) as wanted(agent, holder)`,
    wanted,
  );
  const replayed = new Set(pairs.map(({ agent, holder }) => `${agent} ${holder}`));
  const wallets = wanted.map((all) => [...new Set(all)]);
  let last = { blockNumber: -1, logIndex: -1 };
  for (let size = page; size === page; ) {
    const trades = await sql<PositionTrade>(
      `select agent, trader, case when type in ('BUY', 'AGENT_BUY') then 'bought' else 'sold' end as kind, amount, price,
         protocol_fee as "protocolFee", agent_fee as "agentFee", block_number as "blockNumber", log_index as "logIndex",
         block_time as time
       from transaction
       where agent = any($1::varchar[]) and trader = any($2::varchar[]) and ${keyOf('agent', 'trader')} = any($3::bigint[])
         and (block_number, log_index) > ($4::bigint, $5::int)
       order by block_number, log_index limit $6`,
      [...wallets, keys?.all ?? '{}', last.blockNumber, last.logIndex, page],
    );
    yield trades.filter(({ agent, trader }) => replayed.has(`${agent} ${trader}`));
    size = trades.length;
    last = trades.at(-1) ?? last;
  }
}

function registrationsOf(sql: Sql, agents: readonly string[]): Promise<Registration[]> {
  return sql(
    `select wallet as agent, block_number as "blockNumber", log_index as "logIndex", registered_at as time
     from market where wallet = any($1::varchar[])`,
    [agents],
  );
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
