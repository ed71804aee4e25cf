import type { SqlEntityManager } from '@mikro-orm/sql';
import type { Fact, Registered, Withdrawn } from '../chain/logs/facts.js';
import { RangeSize, readInParts } from '../chain/logs/range-size.js';
import type { ChainRange } from '../chain/logs/ranges.js';
import { insertMany, type Sql, sqlIn } from '../store/sql.js';
import { eventId, registrationKey, tradeKey } from '../trade.js';
import { type AppliedTrade, loadBook, saveBook } from './book.js';
import { hashOf, type IndexDeps, lockCursor, moveCursor, readCursor } from './cursor.js';
import { announceFacts } from './fact-news.js';
import { reconcile } from './reorg.js';
import { applyRegistration, applyTrade, type Book, InconsistentHistory } from './rules.js';

/** Maximum lag that a request catches up by itself. The indexer syncs a longer lag. */
export const CATCH_UP_BLOCKS = 2000;
/**
 * Maximum number of retries after another writer moved the cursor. Each move reduces the lag, so few retries are
 * needed.
 */
const MAX_CATCH_UP_ATTEMPTS = 5;
/** Maximum number of blocks whose receipts a request waits for. */
const THOROUGH_BLOCKS = 64;

/**
 * Applies the facts of a range and moves the cursor in one transaction: facts are applied once and in chain order, also
 * if the process is killed. Returns true if the range is applied or the cursor has already passed it. Returns false if
 * the range does not start right after the cursor on the same fork, or the index has stopped. `announceEvents` is false
 * for a rebuild, which creates no notifications and no live events.
 */
export async function applyRange(
  deps: IndexDeps,
  range: ChainRange,
  { tell: announceEvents }: { readonly tell: boolean } = { tell: true },
): Promise<boolean> {
  let announced = false;
  const apply = async (tx: SqlEntityManager): Promise<boolean> => {
    const sql = sqlIn(tx);
    const { blockNumber: cursorBlock, fault, rereadTo } = await lockCursor(sql);
    if (range.to <= cursorBlock) return true;
    if (fault !== null || range.parentHash !== (await hashOf(sql, cursorBlock))) return false;
    const trades = await applyFacts(sql, range.facts);
    await storeHashes(sql, range);
    await moveCursor(sql, range.to, deps.clock.now());
    const { facts, headTime } = range;
    const news = { facts, trades, headTime, again: range.from <= rereadTo };
    if (announceEvents) announced = await announceFacts(tx, news, deps.clock.now());
    return true;
  };
  // A range without facts invalidates no cached answers.
  const applied = await deps.write(apply, { invalidates: range.facts.length > 0 });
  if (announced) deps.live.wake();
  return applied;
}

export async function applyFacts(sql: Sql, facts: readonly Fact[]): Promise<AppliedTrade[]> {
  if (facts.length === 0) return [];
  const book = await loadBook(sql, facts);
  const registrations: Registered[] = [];
  const trades: AppliedTrade[] = [];
  const withdrawals: Withdrawn[] = [];
  for (const fact of facts) {
    if (fact.kind === 'registered') {
      applyRegistration(book, fact);
      registrations.push(fact);
    } else if (fact.kind === 'withdrawn') {
      withdrawals.push(fact);
    } else {
      trades.push({ trade: fact, outcome: applyTrade(book, fact) });
    }
  }
  await insertMarkets(sql, book, registrations);
  await saveBook(sql, book, new Set(registrations.map(({ agent }) => agent)));
  await insertTrades(sql, trades);
  await insertWithdrawals(sql, withdrawals);
  return trades;
}

async function insertMarkets(sql: Sql, book: Book, facts: readonly Registered[]): Promise<void> {
  const state = (fact: Registered) => {
    const market = book.markets.get(fact.agent);
    if (market === undefined) throw new Error(`no market was opened for ${fact.agent}`);
    return market;
  };
  await insertMany(sql, 'market', {
    wallet: ['varchar', facts.map((fact) => fact.agent)],
    name: ['varchar', facts.map((fact) => fact.name)],
    agent_id: ['varchar', facts.map((fact) => fact.agentId)],
    supply: ['bigint', facts.map((fact) => state(fact).supply)],
    holder_count: ['int', facts.map((fact) => state(fact).holderCount)],
    fees_earned: ['numeric', facts.map((fact) => state(fact).feesEarned)],
    trade_count: ['int', facts.map((fact) => state(fact).tradeCount)],
    volume: ['numeric', facts.map((fact) => state(fact).volume)],
    tx_hash: ['varchar', facts.map((fact) => fact.txHash)],
    ordinal: ['int', facts.map((fact) => fact.ordinal)],
    block_number: ['bigint', facts.map((fact) => fact.blockNumber)],
    log_index: ['int', facts.map((fact) => fact.logIndex)],
    registered_at: ['timestamptz', facts.map((fact) => fact.time)],
    event_id: ['varchar', facts.map((fact) => eventId(registrationKey(fact.agent)))],
  });
}

async function insertTrades(sql: Sql, trades: readonly AppliedTrade[]): Promise<void> {
  const facts = trades.map(({ trade }) => trade);
  await insertMany(sql, 'transaction', {
    tx_hash: ['varchar', facts.map((fact) => fact.txHash)],
    ordinal: ['int', facts.map((fact) => fact.ordinal)],
    type: ['text', trades.map(({ outcome }) => outcome.type)],
    trader: ['varchar', facts.map((fact) => fact.trader)],
    agent: ['varchar', facts.map((fact) => fact.agent)],
    amount: ['int', facts.map((fact) => fact.amount)],
    price: ['numeric', facts.map((fact) => fact.price)],
    protocol_fee: ['numeric', facts.map((fact) => fact.protocolFee)],
    agent_fee: ['numeric', facts.map((fact) => fact.agentFee)],
    supply_after: ['bigint', facts.map((fact) => fact.supply)],
    cost_basis: ['numeric', trades.map(({ outcome }) => outcome.costBasis)],
    realized_pnl: ['numeric', trades.map(({ outcome }) => outcome.realizedPnl)],
    block_number: ['bigint', facts.map((fact) => fact.blockNumber)],
    log_index: ['int', facts.map((fact) => fact.logIndex)],
    block_time: ['timestamptz', facts.map((fact) => fact.time)],
    event_id: ['varchar', facts.map((fact) => eventId(tradeKey(fact.txHash, fact.ordinal)))],
  });
}

async function insertWithdrawals(sql: Sql, facts: readonly Withdrawn[]): Promise<void> {
  await insertMany(sql, 'fee_withdrawal', {
    tx_hash: ['varchar', facts.map((fact) => fact.txHash)],
    ordinal: ['int', facts.map((fact) => fact.ordinal)],
    agent: ['varchar', facts.map((fact) => fact.agent)],
    amount: ['numeric', facts.map((fact) => fact.amount)],
    block_number: ['bigint', facts.map((fact) => fact.blockNumber)],
    log_index: ['int', facts.map((fact) => fact.logIndex)],
    block_time: ['timestamptz', facts.map((fact) => fact.time)],
  });
}

/** Stores the hashes of blocks with facts and of the last block. A later mismatch reveals a reorg. */
export async function storeHashes(sql: Sql, { to, endHash, facts }: ChainRange): Promise<void> {
  const hashes = new Map(facts.map((fact) => [fact.blockNumber, fact.blockHash]));
  hashes.set(to, endHash);
  await insertMany(
    sql,
    'chain_block',
    { number: ['bigint', [...hashes.keys()]], hash: ['varchar', [...hashes.values()]] },
    'on conflict (number) do update set hash = excluded.hash',
  );
}

/**
 * Syncs the index up to a block for a waiting request. False if the lag is too long, or if the chain contradicts the
 * index (the indexer repairs that). A check for a reorg comes first, so that a block that the cursor has passed is on
 * the current chain. If another writer moves the cursor in the meantime, the sync starts again from the new cursor.
 */
export async function catchUp(deps: IndexDeps, block: number): Promise<boolean> {
  let size = new RangeSize();
  for (let attempts = 0; attempts < MAX_CATCH_UP_ATTEMPTS; attempts++) {
    let blockNumber = block;
    try {
      await reconcile(deps);
      const cursor = await readCursor(deps);
      blockNumber = cursor.blockNumber;
      if (cursor.fault !== null || block - blockNumber > CATCH_UP_BLOCKS) return false;
      let consecutive = true;
      for await (const range of readInParts(deps.market, blockNumber + 1, block, size)) {
        consecutive = await applyRange(deps, range);
        if (!consecutive) break;
      }
      if (consecutive) return true;
    } catch (error) {
      if (!(error instanceof InconsistentHistory)) throw error;
      // The range may lack a log. It is read again, once, from the receipts and through another URL.
      deps.market.demoteUrl();
      if (size.thorough || block - blockNumber > THOROUGH_BLOCKS) return false;
      size = new RangeSize(true);
    }
  }
  return false;
}
