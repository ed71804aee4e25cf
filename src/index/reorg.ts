import type { SqlEntityManager } from '@mikro-orm/sql';
import { announce, type News, retractions } from '../live/announce.js';
import { deleteNotices } from '../live/notices.js';
import { arraysOf, type Column, deleteRows, type Sql, sqlIn, unnest } from '../store/sql.js';
import { eventId, registrationKey, tradeKey } from '../values/trade.js';
import { type Pair, saveBook } from './book.js';
import { hashOf, type IndexDeps, lockCursor, moveCursor, readCursor } from './cursor.js';
import { Candle, TicketHolding, TicketLot } from './entities.js';
import {
  applyRegistration,
  emptyBook,
  InconsistentHistory,
  type PositionTrade,
  type PricedTrade,
  type Registration,
  replayCandles,
  replayPositions,
} from './rules.js';

const HASHES_PER_CALL = 50;

/** What a block means that a node does not have: a reorg removed it ('gone'), or the node lags behind ('behind'). */
type MissingBlock = 'gone' | 'behind';

/**
 * Detects a reorg and rolls the index back to the newest common block. The indexer then reads the new blocks as usual. A reorg
 * deeper than the stored hashes throws InconsistentHistory.
 *
 * Behind a load balancer some nodes lag, so a missing block proves nothing. The embedded chain is a single node, which loses its
 * newest blocks when it is killed, so there a missing block is gone.
 */
export async function reconcile(
  deps: IndexDeps,
  missing: MissingBlock = deps.config.chainEmbedded ? 'gone' : 'behind',
): Promise<void> {
  const { blockNumber, fault } = await readCursor(deps);
  if (fault !== null) return;
  const common = await commonBlock(deps, missing);
  if (common === 'unknown') return;
  if (common === 'none') {
    const why = `a reorg deeper than the stored hashes: no block up to ${blockNumber} is on the chain`;
    throw new InconsistentHistory(why);
  }
  const { firstOrphaned } = common;
  if (firstOrphaned === undefined) return;
  deps.log.warn({ from: blockNumber, to: common.number }, 'the chain was reorganised');
  const isDone = await deps.write(async (tx) => {
    const sql = sqlIn(tx);
    const cursor = await lockCursor(sql);
    // Another writer has changed the index: the stored blocks may already belong to the new fork.
    if (cursor.blockNumber !== blockNumber || (await hashOf(sql, firstOrphaned.number)) !== firstOrphaned.hash) return false;
    const rolledBack = await rollBack(tx, common.number);
    await moveCursor(sql, common.number, deps.clock.now());
    if (deps.live) await announceRollback(tx, rolledBack, deps.clock.now());
    return true;
  });
  if (isDone) deps.metrics.reorgDepths.observe(blockNumber - common.number);
  deps.live?.wake();
}

type Block = { readonly number: number; readonly hash: string };
/** Newest stored block that is on the chain. `firstOrphaned` is the oldest stored block above it that the chain lacks, if any. */
type Common = Block & { readonly firstOrphaned: Block | undefined };

/** Newest stored block that is still on the chain. 'unknown' while the node lacks blocks; 'none' if all hashes differ. */
async function commonBlock(deps: IndexDeps, missing: MissingBlock): Promise<Common | 'unknown' | 'none'> {
  let below = Number.MAX_SAFE_INTEGER;
  let firstOrphaned: Block | undefined;
  let behind = false;
  // Whether another fork is proved. A different hash proves it. On the embedded chain, which is a single node, missing blocks prove
  // it, too.
  let differs = deps.config.chainEmbedded;
  // Checks the newest block alone first: without a reorg that is enough.
  for (let count = 1; ; count = HASHES_PER_CALL) {
    const stored = await deps.sql<Block>('select number, hash from chain_block where number < $1 order by number desc limit $2', [
      below,
      count,
    ]);
    const last = stored.at(-1);
    // If the node has none of the stored blocks, it is empty or lags. Only different hashes prove another fork.
    if (last === undefined) return firstOrphaned && differs ? 'none' : 'unknown';
    const hashes = await deps.chain.hashes(stored.map(({ number }) => number));
    for (const [i, block] of stored.entries()) {
      if (block.hash === hashes[i]) return firstOrphaned || !behind ? { ...block, firstOrphaned } : 'unknown';
      if (hashes[i] !== null) differs = true;
      if (hashes[i] === null && missing === 'behind') behind = true;
      else firstOrphaned = block;
    }
    below = last.number;
  }
}

/** Rolls the tables back to the state after `block`. Sums are decreased; positions and candles are replayed. */
export async function rollBack(tx: SqlEntityManager, block: number): Promise<RolledBack> {
  const sql = sqlIn(tx);
  const trades = await sql<{ txHash: string; ordinal: number }>(
    'select tx_hash as "txHash", ordinal from transaction where block_number > $1',
    [block],
  );
  const pairs = await sql<Pair>('select distinct agent, trader as holder from transaction where block_number > $1', [block]);
  const hours = await sql<{ agent: string; hour: Date }>(
    `select distinct agent, date_trunc('hour', block_time, 'UTC') as hour from transaction where block_number > $1`,
    [block],
  );
  // Without an earlier trade, the supply is 1, which is the free ticket of the agent.
  await sql(
    `update market set fees_earned = market.fees_earned - gone.fees, trade_count = market.trade_count - gone.trades,
       volume = market.volume - gone.volume,
       supply = coalesce((select supply_after from transaction t where t.agent = market.wallet and t.block_number <= $1
                          order by t.block_number desc, t.log_index desc limit 1), 1)
     from (select agent, sum(agent_fee) as fees, count(*)::int as trades, sum(price) as volume
           from transaction where block_number > $1 group by agent) gone
     where market.wallet = gone.agent`,
    [block],
  );
  // Only sales have a realized_pnl.
  await sql(
    `update wallet_ledger set trade_count = wallet_ledger.trade_count - gone.trades,
       sell_count = wallet_ledger.sell_count - gone.sells, bought = wallet_ledger.bought - gone.bought,
       realized = wallet_ledger.realized - gone.realized
     from (select trader, count(*)::int as trades, count(realized_pnl)::int as sells,
             coalesce(sum(price + protocol_fee + agent_fee) filter (where realized_pnl is null), 0) as bought,
             coalesce(sum(realized_pnl), 0) as realized
           from transaction where block_number > $1 group by trader) gone
     where wallet_ledger.wallet = gone.trader`,
    [block],
  );
  await sql('delete from wallet_ledger where trade_count = 0 and wallet = any($1::varchar[])', [pairs.map(({ holder }) => holder)]);
  await sql('delete from transaction where block_number > $1', [block]);
  await sql('delete from fee_withdrawal where block_number > $1', [block]);
  await sql('delete from fee_destination where block_number > $1', [block]);
  await sql('delete from chain_block where number > $1', [block]);
  const markets = await sql<{ wallet: string }>('delete from market where block_number > $1 returning wallet', [block]);
  const wallets = markets.map(({ wallet }) => wallet);
  for (const table of ['ticket_holding', 'ticket_lot', 'candle']) {
    await sql(`delete from ${table} where agent = any($1::varchar[])`, [wallets]);
  }
  // Markets whose registration was rolled back have nothing to replay.
  const closed = new Set(wallets);
  const isOpen = ({ agent }: { readonly agent: string }) => !closed.has(agent);
  await recomputePositions(tx, pairs.filter(isOpen));
  await recomputeCandles(tx, hours.filter(isOpen));
  await sql(
    `update market set holder_count = (select count(*) from ticket_holding h where h.agent = market.wallet)
     where wallet = any($1::varchar[])`,
    [[...new Set(pairs.map(({ agent }) => agent))]],
  );
  return { trades: trades.map(({ txHash, ordinal }) => tradeKey(txHash, ordinal)), markets: wallets };
}

/** The rolled back facts: keys of trades, and wallets of markets. */
type RolledBack = { readonly trades: readonly string[]; readonly markets: readonly string[] };

/** Deletes the notifications of rolled back facts. Announces the removals and the new prices to subscribers. */
export async function announceRollback(tx: SqlEntityManager, { trades, markets }: RolledBack, now: Date): Promise<void> {
  const notices = await deleteNotices(tx, trades);
  const events = [...trades, ...markets.map(registrationKey)].map(eventId);
  const removed = await retractions(tx, [...events, ...notices], now);
  const traded = removed.filter(({ topic }) => topic === 'trade').map(({ agent }) => agent);
  const prices = await sqlIn(tx)<News>(
    `select 'price' as topic, null as subject, wallet as agent, supply
     from market where wallet = any($1::varchar[]) order by wallet`,
    [[...new Set(traded)]],
  );
  await announce(tx, [...removed, ...prices], now);
}

/** Maximum number of trades that are in memory at a time. 100,000 trades take about 120 MB. */
const PAGE = 100_000;

async function recomputePositions(tx: SqlEntityManager, pairs: readonly Pair[]): Promise<void> {
  const sql = sqlIn(tx);
  await deleteRows(tx, TicketHolding, pairs);
  await deleteRows(tx, TicketLot, pairs);
  const book = emptyBook();
  const registrations = await sql<Registration>(
    `select wallet as agent, block_number as "blockNumber", log_index as "logIndex", registered_at as time
     from market where wallet = any($1::varchar[])`,
    [pairs.filter(({ agent, holder }) => agent === holder).map(({ agent }) => agent)],
  );
  for (const registration of registrations) applyRegistration(book, registration);
  for await (const trades of loadTrades(sql, pairs)) replayPositions(book, trades);
  await saveBook(tx, { ...emptyBook(), positions: book.positions });
}

/** Reads the trades of positions page by page, in chain order. */
export async function* loadTrades(sql: Sql, pairs: readonly Pair[], page = PAGE): AsyncGenerator<PositionTrade[]> {
  const wallets = [pairs.map(({ agent }) => agent), pairs.map(({ holder }) => holder)];
  let last = { blockNumber: -1, logIndex: -1 };
  for (let size = page; size === page; ) {
    const trades = await sql<PositionTrade>(
      `select t.agent, t.trader, case when type in ('BUY', 'AGENT_BUY') then 'bought' else 'sold' end as kind, amount, price,
         protocol_fee as "protocolFee", agent_fee as "agentFee", block_number as "blockNumber", log_index as "logIndex",
         block_time as time
       from transaction t join unnest($1::varchar[], $2::varchar[]) as pair(agent, holder)
         on t.agent = pair.agent and t.trader = pair.holder
       where (block_number, log_index) > ($3::bigint, $4::int)
       order by block_number, log_index limit $5`,
      [...wallets, last.blockNumber, last.logIndex, page],
    );
    yield trades;
    size = trades.length;
    last = trades.at(-1) ?? last;
  }
}

async function recomputeCandles(tx: SqlEntityManager, hours: readonly { agent: string; hour: Date }[]): Promise<void> {
  await deleteRows(tx, Candle, hours);
  const keys: Record<string, Column> = {
    agent: ['varchar', hours.map(({ agent }) => agent)],
    hour: ['timestamptz', hours.map(({ hour }) => hour)],
  };
  const trades = await sqlIn(tx)<PricedTrade>(
    `select t.agent, case when t.type in ('BUY', 'AGENT_BUY') then 'bought' else 'sold' end as kind, t.amount, t.price,
       t.supply_after as supply, t.block_time as time
     from transaction t join ${unnest(keys)} on t.agent = given.agent
       and t.block_time >= given.hour and t.block_time < given.hour + interval '1 hour'
     order by t.block_number, t.log_index`,
    arraysOf(keys),
  );
  await saveBook(tx, { ...emptyBook(), candles: replayCandles(trades) });
}
