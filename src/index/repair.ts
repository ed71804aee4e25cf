import { isDeepStrictEqual } from 'node:util';
import type { Fact } from '../chain/logs/facts.js';
import type { ChainRange } from '../chain/logs/ranges.js';
import type { Market, MarketState } from '../chain/market.js';
import type { Deps } from '../deps.js';
import { AppError } from '../errors.js';
import { type Sql, sqlIn } from '../store/sql.js';
import { hashOf, type IndexDeps, lockCursor, moveCursor, readCursor, recordReread } from './cursor.js';
import { announceFacts } from './fact-news.js';
import { applyFacts, CATCH_UP_BLOCKS, catchUp, storeHashes } from './ingest.js';
import { announceRollback, rollBack } from './reorg.js';
import { InconsistentHistory } from './rules.js';

/**
 * 'right': the index has exactly the facts of the block. 'unknown': the chain or the index moved meanwhile, or the answer
 * lacks a fact of the index without proving that the fact does not exist.
 */
export type Repair = 'repaired' | 'right' | 'unknown';

/** Rolls the transaction back if the block does not prove whether its facts or those of the index are right. */
class Unproven extends Error {}

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
  const agrees = range.complete ? null : await comparisonWithState(deps, range, onChain);
  const now = deps.clock.now();
  const transaction = deps.write(async (tx): Promise<Repair> => {
    const sql = sqlIn(tx);
    const locked = await lockCursor(sql);
    // A cursor that has moved on is on the same fork if the hash that was compared with the chain is still stored.
    if (locked.fault !== null || locked.blockNumber < cursor.number) return 'unknown';
    if ((await hashOf(sql, cursor.number)) !== cursor.hash) return 'unknown';
    const stored = [...(await indexedFacts(sql, block, block)).keys()];
    const surplus = stored.some((key) => !onChain.has(key));
    if (!surplus && stored.length === onChain.size) return 'right';
    if (surplus && !range.complete && (agrees === null || (await agrees(sql)))) return 'unknown';
    const rolledBack = await rollBack(tx, block - 1);
    await sql('insert into chain_block (number, hash) values ($1, $2) on conflict do nothing', [
      block - 1,
      range.parentHash,
    ]);
    // If all indexed facts remain, none of them is announced again. If a fact is removed, all facts of the block are
    // announced.
    if (!surplus) await recordReread(sql, locked.blockNumber);
    const trades = await applyFacts(tx, range.facts);
    if (surplus && !range.complete && !(await agrees?.(sql))) throw new Unproven();
    await storeHashes(tx, range);
    await moveCursor(sql, block, now);
    if (surplus) await announceRollback(tx, rolledBack, now);
    await announceFacts(tx, { facts: range.facts, trades, headTime: range.headTime, again: !surplus }, now);
    deps.log.warn(
      { block, from: locked.blockNumber },
      'the index lacked facts of a block; indexing restarts from there',
    );
    return 'repaired';
  });
  const repair = await transaction.catch((error: unknown): Repair => {
    if (error instanceof Unproven) return 'unknown';
    throw error;
  });
  if (repair === 'repaired') deps.live?.wake();
  return repair;
}

/**
 * Reads the contract's state at the end of the block if the index has facts that the block's logs lack. Logs may be
 * incomplete, so the state decides which side is right. Returns a function that compares it with the index; null if the
 * logs lack no indexed fact, or if the RPC lacks the state.
 */
async function comparisonWithState(
  { sql, market }: IndexDeps,
  { to, facts }: ChainRange,
  onChain: ReadonlySet<string>,
): Promise<((within: Sql) => Promise<boolean>) | null> {
  const stored = await indexedFacts(sql, to, to);
  if ([...stored.keys()].every((key) => onChain.has(key))) return null;
  const agents = [...new Set([...stored.values(), ...facts.map(({ agent }) => agent)])];
  const states = await stateOrNull(market, market.stateAt(to, agents));
  return states && (async (within) => isDeepStrictEqual(await indexedStates(within, agents, to), states));
}

/** The result of `Market.stateAt` that the index expects. */
export async function indexedStates(
  sql: Sql,
  wallets: readonly string[],
  block: number,
): Promise<{ readonly agentCount: number; readonly states: readonly MarketState[] }> {
  const [counted] = await sql<{ agents: number }>(
    'select count(*)::int as agents from market where block_number <= $1',
    [block],
  );
  const states = await sql<MarketState>(
    `select case when m.block_number <= $2 then coalesce(
         (select supply_after from transaction t where t.agent = m.wallet and t.block_number <= $2
          order by t.block_number desc, t.log_index desc limit 1), 1) else 0 end as supply,
       coalesce((select sum(agent_fee) from transaction t where t.agent = m.wallet and t.block_number <= $2), 0)
       - coalesce((select sum(amount) from fee_withdrawal f where f.agent = m.wallet and f.block_number <= $2), 0) as "pendingFees"
     from unnest($1::varchar[]) with ordinality as given (wallet, place) left join market m on m.wallet = given.wallet
     order by given.place`,
    [wallets, block],
  );
  return { agentCount: counted?.agents ?? 0, states };
}

/**
 * The contract's state, or null if the RPC does not have it. Some RPCs reject calls at old blocks with an HTTP status, as
 * if rate limited. If such an RPC still answers eth_blockNumber, the state counts as missing.
 */
export async function stateOrNull<T>(market: Market, answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof AppError)) return null;
    if (error.code !== 'CHAIN_UNAVAILABLE') throw error;
    await market.blockNumber();
    return null;
  }
}

/** The agents of all indexed facts in [from, to], by the key of the fact. */
export async function indexedFacts(sql: Sql, from: number, to: number): Promise<Map<string, string>> {
  const rows = await sql<{ block: number; log: number; hash: string; agent: string }>(
    `select block_number as block, log_index as log, tx_hash as hash, agent
     from transaction where block_number between $1 and $2
     union all select block_number, log_index, tx_hash, wallet from market where block_number between $1 and $2
     union all select block_number, log_index, tx_hash, agent from fee_withdrawal where block_number between $1 and $2`,
    [from, to],
  );
  return new Map(rows.map(({ block, log, hash, agent }) => [`${block} ${log} ${hash}`, agent]));
}

export const factKey = ({ blockNumber, logIndex, txHash }: Fact): string => `${blockNumber} ${logIndex} ${txHash}`;

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
