import type { SqlEntityManager } from '@mikro-orm/sql';
import type { Fact, Redirected, Registered, Withdrawn } from '../chain/logs/facts.js';
import { RangeSize, readInParts } from '../chain/logs/range-size.js';
import type { ChainRange } from '../chain/logs/ranges.js';
import type { Deps } from '../deps.js';
import { isOutage } from '../observe/database-errors.js';
import { insertRows, sqlIn } from '../store/sql.js';
import { eventId, registrationKey, tradeKey } from '../values/trade.js';
import { type AppliedTrade, loadBook, saveBook } from './book.js';
import { hashOf, type IndexDeps, lockCursor, moveCursor, readCursor } from './cursor.js';
import { ChainBlock, FeeDestination, FeeWithdrawal, MarketTable, Transaction } from './entities.js';
import { announceFacts } from './fact-news.js';
import { reconcile } from './reorg.js';
import { applyRegistration, applyTrade, InconsistentHistory, type MarketState } from './rules.js';

/** Maximum number of blocks that `catchUp` reads for a waiting request. A longer lag is left to the indexer. */
export const CATCH_UP_BLOCKS = 2000;
/** Maximum number of attempts of `catchUp`. A few are enough, because another writer that moves the cursor also reduces the lag. */
const MAX_CATCH_UP_ATTEMPTS = 5;
/** Maximum number of blocks that `catchUp` reads from receipts while a request waits. */
const RECEIPT_BLOCKS = 64;

/**
 * Applies the facts of a range and moves the cursor in one transaction: facts are applied once and in chain order, also
 * if the process is killed. Returns true if the range is applied or the cursor has already passed it. Returns false if
 * the range does not start right after the cursor on the same fork, or the index has stopped.
 */
export async function applyRange(deps: IndexDeps, range: ChainRange): Promise<boolean> {
  let announced = false;
  const apply = async (tx: SqlEntityManager): Promise<boolean> => {
    const sql = sqlIn(tx);
    const { blockNumber: cursorBlock, fault, rereadTo } = await lockCursor(sql);
    if (range.to <= cursorBlock) return true;
    if (fault !== null || range.parentHash !== (await hashOf(sql, cursorBlock))) return false;
    const trades = await applyFacts(tx, range.facts);
    await storeHashes(tx, range);
    await moveCursor(sql, range.to, deps.clock.now(), range.endTime);
    const { facts, headTime } = range;
    const news = { facts, trades, headTime, isReread: range.from <= rereadTo };
    if (deps.live) announced = await announceFacts(tx, news, deps.clock.now());
    return true;
  };
  // A range without facts changes no answer, so cached answers stay valid.
  const applied = await deps.write(apply, { invalidates: range.facts.length > 0 });
  if (announced) deps.live?.wake();
  return applied;
}

/** Applies facts in chain order to the rows that they touch, and writes these rows. The caller has locked the cursor. */
export async function applyFacts(tx: SqlEntityManager, facts: readonly Fact[]): Promise<AppliedTrade[]> {
  if (facts.length === 0) return [];
  const book = await loadBook(sqlIn(tx), facts);
  const registrations: (Registered & { readonly market: MarketState })[] = [];
  const trades: AppliedTrade[] = [];
  const withdrawals: Withdrawn[] = [];
  const destinations: Redirected[] = [];
  for (const fact of facts) {
    if (fact.kind === 'registered') {
      registrations.push({ ...fact, market: applyRegistration(book, fact) });
    } else if (fact.kind === 'withdrawn') {
      withdrawals.push(fact);
    } else if (fact.kind === 'redirected') {
      destinations.push(fact);
    } else {
      trades.push({ trade: fact, outcome: applyTrade(book, fact) });
    }
  }
  const markets = registrations.map(({ market, agent: wallet, time: registeredAt, ...fact }) => {
    return { ...fact, ...market, wallet, registeredAt, eventId: eventId(registrationKey(wallet)) };
  });
  await insertRows(tx, MarketTable, markets);
  await saveBook(tx, book, new Set(markets.map(({ wallet }) => wallet)));
  const transactions = trades.map(({ trade, outcome }) => ({
    ...trade,
    ...outcome,
    supplyAfter: trade.supply,
    blockTime: trade.time,
    eventId: eventId(tradeKey(trade.txHash, trade.ordinal)),
  }));
  await insertRows(tx, Transaction, transactions);
  await insertRows(
    tx,
    FeeWithdrawal,
    withdrawals.map((fact) => ({ ...fact, blockTime: fact.time })),
  );
  await insertRows(tx, FeeDestination, destinations);
  return trades;
}

/** Stores the hashes of blocks with facts and of the last block of the range. A later mismatch reveals a reorg. */
export async function storeHashes(tx: SqlEntityManager, { to, endHash, facts }: ChainRange): Promise<void> {
  const hashes = new Map(facts.map((fact) => [fact.blockNumber, fact.blockHash]));
  hashes.set(to, endHash);
  const blocks = Array.from(hashes, ([number, hash]) => ({ number, hash }));
  await insertRows(tx, ChainBlock, blocks, { replaces: true });
}

/**
 * Syncs the index up to a block for a waiting request. Returns false if the lag is too long, if the index has stopped, if the chain
 * contradicts the index (the indexer repairs that), or after MAX_CATCH_UP_ATTEMPTS. A check for a reorg comes first, so that a
 * block that the cursor has passed is on the current chain. If another writer moves the cursor in the meantime, the sync starts
 * again from the new cursor.
 */
export async function catchUp(deps: IndexDeps, block: number): Promise<boolean> {
  let size = new RangeSize();
  for (let attempts = 0; attempts < MAX_CATCH_UP_ATTEMPTS; attempts++) {
    // Before the cursor is read, the lag counts as 0, so that a contradiction in `reconcile` leads to another attempt.
    let blockNumber = block;
    try {
      await reconcile(deps);
      const cursor = await readCursor(deps);
      blockNumber = cursor.blockNumber;
      if (cursor.fault !== null || block - blockNumber > CATCH_UP_BLOCKS) return false;
      let consecutive = true;
      for await (const range of readInParts(deps.chain, blockNumber + 1, block, size)) {
        consecutive = await applyRange(deps, range);
        if (!consecutive) break;
      }
      if (consecutive) return true;
    } catch (error) {
      if (!(error instanceof InconsistentHistory)) throw error;
      // The range may lack a log. It is read again, once, from the receipts and through another URL.
      deps.chain.demoteUrl();
      if (size.fromReceipts || block - blockNumber > RECEIPT_BLOCKS) return false;
      size = new RangeSize(true);
    }
  }
  return false;
}

/**
 * Syncs the index up to the newest block after a hint that the contract has new logs. The content of a hint is not trusted, so the
 * logs are read from the chain. Hints during a run share one more run.
 */
export const syncFromHint = (deps: Deps): Promise<void> =>
  deps.queues.hints(async () => {
    try {
      await catchUp(deps, await deps.chain.blockNumber());
    } catch (error) {
      // The error is only logged, because the indexer reads the same blocks at its next poll.
      deps.log[isOutage(error) ? 'debug' : 'warn']({ err: error }, 'the sync after a webhook hint failed');
    }
  });
