import type { Fact } from '../chain/logs/facts.js';
import { RangeSize } from '../chain/logs/range-size.js';
import type { Deps } from '../deps.js';
import { type Sql, sqlIn } from '../store/sql.js';
import { hashOf, type IndexDeps, lockCursor, moveCursor, readCursor, recordReread } from './cursor.js';
import { announceFacts } from './fact-news.js';
import { applyFacts, CATCH_UP_BLOCKS, catchUp, storeHashes } from './ingest.js';
import { announceRollback, rollBack } from './reorg.js';
import { InconsistentHistory } from './rules.js';
import { syncRanges } from './sync.js';

/**
 * 'right': the index has exactly the facts of the block. 'unknown': the chain or the index moved meanwhile, or the logs of the
 * block lack a fact of the index, and there are no receipts to prove that it does not exist.
 */
export type Repair = 'repaired' | 'right' | 'unknown';

/**
 * Reads an indexed block again from its receipts. If its facts differ from the index, one transaction rolls the index back
 * to the block before, applies the block, and lets the indexer continue from there.
 */
export async function repairBlock(deps: IndexDeps, block: number): Promise<Repair> {
  const range = await deps.market.range(block, block, true);
  const [cursor] = await deps.sql<{ number: number; hash: string }>(
    'select number, hash from indexer_cursor join chain_block on number = block_number',
  );
  if (cursor === undefined || cursor.number < block) return 'unknown';
  // The block must be on the fork that is indexed. A block of another fork proves nothing about the index.
  const hashes = await deps.market.hashes([block, cursor.number]);
  if (hashes[0] !== range.endHash || hashes[1] !== cursor.hash) return 'unknown';
  const onChain = new Set(range.facts.map(factKey));
  const now = deps.clock.now();
  const repair = await deps.write(async (tx): Promise<Repair> => {
    const sql = sqlIn(tx);
    const locked = await lockCursor(sql);
    // A cursor that has moved on is on the same fork if the hash that was compared with the chain is still stored.
    if (locked.fault !== null || locked.blockNumber < cursor.number) return 'unknown';
    if ((await hashOf(sql, cursor.number)) !== cursor.hash) return 'unknown';
    const stored = await indexedFacts(sql, block, block);
    const removes = [...stored].some((key) => !onChain.has(key));
    if (!removes && stored.size === onChain.size) return 'right';
    // A list of logs may lack some, so only receipts prove that a fact of the index does not exist.
    if (removes && !range.complete) return 'unknown';
    const rolledBack = await rollBack(tx, block - 1);
    await sql('insert into chain_block (number, hash) values ($1, $2) on conflict do nothing', [
      block - 1,
      range.parentHash,
    ]);
    // If all indexed facts remain, none of them is announced again. If a fact is removed, all facts of the block are
    // announced.
    if (!removes) await recordReread(sql, locked.blockNumber);
    const trades = await applyFacts(tx, range.facts);
    await storeHashes(tx, range);
    await moveCursor(sql, block, now);
    if (removes) await announceRollback(tx, rolledBack, now);
    await announceFacts(tx, { facts: range.facts, trades, headTime: range.headTime, again: !removes }, now);
    deps.log.warn(
      { block, from: locked.blockNumber },
      'the index lacked facts of a block; indexing restarts from there',
    );
    return 'repaired';
  });
  if (repair === 'repaired') deps.live?.wake();
  return repair;
}

/** Up to this many blocks are read again from receipts, which costs a call for each. Of more blocks, the logs are read. */
export const MAX_RECEIPT_BLOCKS = 10_000;

/**
 * Reads the blocks again that no audit has proved equal to the contract, and restarts the index from the first whose facts
 * differ. Returns false if there is none.
 */
export async function repairIndex(deps: IndexDeps, term: AbortSignal): Promise<boolean> {
  const { blockNumber, provedTo } = await readCursor(deps);
  const size = new RangeSize(blockNumber - provedTo <= MAX_RECEIPT_BLOCKS);
  let isRepaired = false;
  await syncRanges(deps.market, { from: provedTo + 1, head: blockNumber, size }, async (range) => {
    const stored = await indexedFacts(deps.sql, range.from, range.to);
    const differing = stored.symmetricDifference(new Set(range.facts.map(factKey)));
    const blocks = new Set(Array.from(differing, (key) => Number(key.split(' ')[0])));
    for (const block of [...blocks].sort((a, b) => a - b)) {
      if (term.aborted || isRepaired) break;
      isRepaired = (await repairBlock(deps, block)) === 'repaired';
    }
    return !term.aborted && !isRepaired;
  });
  return isRepaired;
}

/** The keys of all indexed facts in [from, to]. */
async function indexedFacts(sql: Sql, from: number, to: number): Promise<Set<string>> {
  const rows = await sql<Pick<Fact, 'blockNumber' | 'logIndex' | 'txHash'>>(
    `select block_number as "blockNumber", log_index as "logIndex", tx_hash as "txHash"
     from transaction where block_number between $1 and $2
     union all select block_number, log_index, tx_hash from market where block_number between $1 and $2
     union all select block_number, log_index, tx_hash from fee_withdrawal where block_number between $1 and $2`,
    [from, to],
  );
  return new Set(rows.map(factKey));
}

const factKey = ({ blockNumber, logIndex, txHash }: Pick<Fact, 'blockNumber' | 'logIndex' | 'txHash'>): string =>
  `${blockNumber} ${logIndex} ${txHash}`;

/** Retries if the chain or the index changes while the block is read. */
const MAX_ATTEMPTS = 5;

/**
 * Handles a receipt that shows a trade in a block that the index has passed without it, by reading the block again. The
 * receipt itself is not trusted: the index goes back only if the block has facts that the index lacks. Returns false if
 * that could not be determined, or if the block is so far back that the indexer must repair it.
 */
export const recoverTrade = (deps: Deps, txHash: string, block: number): Promise<boolean> =>
  // One process runs its repairs one after another, because each repair reads a block and may roll the index back.
  deps.queues.recoveries(async () => {
    for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts++) {
      // A concurrent request may have repaired the same block.
      const indexed = await deps.sql('select 1 from transaction where tx_hash = $1 limit 1', [txHash]);
      if (indexed.length > 0) return true;
      const { blockNumber } = await readCursor(deps);
      if (blockNumber - block > CATCH_UP_BLOCKS) return false;
      const repair = await repairBlock(deps, block).catch((error: unknown) => {
        // The index lacks facts of earlier blocks, too.
        if (error instanceof InconsistentHistory) return 'unknown' as const;
        throw error;
      });
      if (repair === 'right') return true;
      if (repair === 'repaired') return catchUp(deps, blockNumber);
    }
    return false;
  });
