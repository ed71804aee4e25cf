import type { Fact } from '../chain/logs/facts.js';
import { RangeSize } from '../chain/logs/range-size.js';
import type { ChainRange } from '../chain/logs/ranges.js';
import type { Deps } from '../deps.js';
import { type Sql, sqlIn } from '../store/sql.js';
import { hashOf, type IndexDeps, lockCursor, moveCursor, readCursor, recordReread } from './cursor.js';
import { announceFacts } from './fact-news.js';
import { applyFacts, CATCH_UP_BLOCKS, catchUp, storeHashes } from './ingest.js';
import { announceRollback, rollBack } from './reorg.js';
import { InconsistentHistory } from './rules.js';
import { syncRanges } from './sync.js';

/**
 * 'repaired': the index has gone back, and has the facts of the block. 'right': the index already had exactly these facts.
 * 'unknown': the block cannot be judged now. The chain or the index moved meanwhile, or facts of earlier blocks are missing, too.
 * Or the block's logs lack a fact of the index, and there are no receipts to prove that it does not exist.
 */
type BlockOutcome = 'repaired' | 'right' | 'unknown';

/**
 * Reads an indexed block again from its receipts. If its facts differ from the index, one transaction rolls the index back
 * to the block before, applies the block, and lets the indexer continue from there.
 */
export async function repairBlock(deps: IndexDeps, block: number): Promise<BlockOutcome> {
  const range = await deps.chain.range(block, block, true);
  const [cursor] = await deps.sql<{ number: number; hash: string }>(
    'select number, hash from indexer_cursor join chain_block on number = block_number',
  );
  if (cursor === undefined || cursor.number < block) return 'unknown';
  // The block must be on the fork that is indexed. A block of another fork proves nothing about the index.
  const hashes = await deps.chain.hashes([block, cursor.number]);
  if (hashes[0] !== range.endHash || hashes[1] !== cursor.hash) return 'unknown';
  const onChain = new Set(range.facts.map(factKey));
  const now = deps.clock.now();
  const repairing = deps.write(async (tx): Promise<BlockOutcome> => {
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
    await sql('insert into chain_block (number, hash) values ($1, $2) on conflict do nothing', [block - 1, range.parentHash]);
    // If all indexed facts remain, `recordReread` lets the index skip events that were already announced. If a fact is removed, all
    // facts of the block are announced again.
    if (!removes) await recordReread(sql, locked.blockNumber);
    const trades = await applyFacts(tx, range.facts);
    await storeHashes(tx, range);
    // No audit has compared these facts. Moving to the block before them first lowers `proved_to`.
    await moveCursor(sql, block - 1, now);
    await moveCursor(sql, block, now, range.endTime);
    if (removes) await announceRollback(tx, rolledBack, now);
    await announceFacts(tx, { facts: range.facts, trades, headTime: range.headTime, isReread: !removes }, now);
    deps.log.warn({ block, from: locked.blockNumber }, 'the index lacked facts of a block; indexing restarts from there');
    return 'repaired';
  });
  const outcome = await repairing.catch((error: unknown) => {
    if (error instanceof InconsistentHistory) return 'unknown' as const;
    throw error;
  });
  if (outcome === 'repaired') deps.live?.wake();
  return outcome;
}

/** Maximum number of blocks per call of `run`. Between calls, the index makes progress, and leadership may change. */
const BLOCKS_PER_CALL = 2000;

/**
 * 'repaired': the index went back to a block that differed. 'unfinished': the next call continues. 'nothing': no block differs that
 * can be repaired.
 */
export type RepairOutcome = 'repaired' | 'unfinished' | 'nothing';

/** Searches the blocks that no audit has proved for facts that differ between the index and the chain. */
export class Repair {
  /** Block up to which this search has found no difference that it can repair. */
  #checkedTo = 0;

  constructor(
    private readonly deps: IndexDeps,
    private readonly blocksPerCall = BLOCKS_PER_CALL,
  ) {}

  /** Reads the next blocks from receipts. At the first block that differs and can be repaired, the index goes back to it. */
  async run(term: AbortSignal): Promise<RepairOutcome> {
    const { deps } = this;
    const { blockNumber, provedTo } = await readCursor(deps);
    const from = Math.max(provedTo, this.#checkedTo) + 1;
    const head = Math.min(blockNumber, from + this.blocksPerCall - 1);
    let isRepaired = false;
    await syncRanges(deps.chain, { from, head, size: new RangeSize(true) }, async (range) => {
      for (const block of await differingBlocks(deps.sql, range)) {
        if (term.aborted) return false;
        isRepaired = (await repairBlock(deps, block)) === 'repaired';
        if (isRepaired) return false;
      }
      this.#checkedTo = range.to;
      return !term.aborted;
    });
    if (term.aborted || (head < blockNumber && !isRepaired)) return 'unfinished';
    this.#checkedTo = 0;
    return isRepaired ? 'repaired' : 'nothing';
  }
}

/** The blocks of a range whose facts differ between the index and the chain, in order. */
async function differingBlocks(sql: Sql, { from, to, facts }: ChainRange): Promise<number[]> {
  const stored = await indexedFacts(sql, from, to);
  const differing = stored.symmetricDifference(new Set(facts.map(factKey)));
  return [...new Set(Array.from(differing, (key) => Number(key.split(' ')[0])))].sort((a, b) => a - b);
}

/** The keys of all indexed facts in [from, to]. */
async function indexedFacts(sql: Sql, from: number, to: number): Promise<Set<string>> {
  const rows = await sql<Pick<Fact, 'blockNumber' | 'logIndex' | 'txHash'>>(
    `select block_number as "blockNumber", log_index as "logIndex", tx_hash as "txHash"
     from transaction where block_number between $1 and $2
     union all select block_number, log_index, tx_hash from market where block_number between $1 and $2
     union all select block_number, log_index, tx_hash from fee_withdrawal where block_number between $1 and $2
     union all select block_number, log_index, tx_hash from fee_destination where block_number between $1 and $2`,
    [from, to],
  );
  return new Set(rows.map(factKey));
}

const factKey = ({ blockNumber, logIndex, txHash }: Pick<Fact, 'blockNumber' | 'logIndex' | 'txHash'>): string =>
  `${blockNumber} ${logIndex} ${txHash}`;

/** Maximum number of attempts. An attempt fails if the chain or the index changes while the block is read. */
const MAX_ATTEMPTS = 5;

/**
 * Reads a block again that has a trade according to a receipt, although the index has passed the block without it. The receipt
 * itself is not trusted: the index goes back only if the block has facts that the index lacks. Returns false if that could not be
 * determined, or if the block is so far back that the indexer must repair it.
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
      const repair = await repairBlock(deps, block);
      if (repair === 'right') return true;
      if (repair === 'repaired') return catchUp(deps, blockNumber);
    }
    return false;
  });
