import type { Fact } from '../../../chain/logs/facts.js';
import type { ChainRange } from '../../../chain/logs/ranges.js';
import { type Sql, sqlIn } from '../../../store/sql.js';
import { hashOf, type IndexDeps, lockCursor, moveCursor, recordReread } from './cursor.js';
import { announceFacts } from './fact-news.js';
import { applyFacts, storeHashes } from './ingest.js';
import { announceRollback, rollBack } from './reorg.js';
import { indexedStates, type States, sameStates, stateOrNull } from './states.js';

/**
 * 'right': the index has exactly the facts of the block. 'unknown': the chain or the index moved meanwhile, or the answer
 * lacks a fact of the index without proving that the fact does not exist.
 */
export type Repair = 'repaired' | 'right' | 'unknown';

/** Rolls the transaction back. */
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
  // The block must be on the fork that is indexed. Otherwise it proves nothing about the index.
  const hashes = await deps.market.hashes([block, cursor.number]);
  if (hashes[0] !== range.endHash || hashes[1] !== cursor.hash) return 'unknown';
  const chainState = range.complete ? null : await chainStateOf(deps, range);
  const now = deps.clock.now();
  const transaction = deps.write(async (tx): Promise<Repair> => {
    const sql = sqlIn(tx);
    const locked = await lockCursor(sql);
    // A cursor that has moved on is on the same fork if the hash that was compared with the chain is still stored.
    if (locked.fault !== null || locked.blockNumber < cursor.number) return 'unknown';
    if ((await hashOf(sql, cursor.number)) !== cursor.hash) return 'unknown';
    const stored = await indexedFactKeys(sql, block, block);
    const onChain = new Set(range.facts.map(factKey));
    if (stored.size === onChain.size && [...stored].every((key) => onChain.has(key))) return 'right';
    const surplus = [...stored].some((key) => !onChain.has(key));
    const agrees = async () => chainState !== null && sameStates(await chainState.indexed(sql), chainState.states);
    if (surplus && !range.complete && (chainState === null || (await agrees()))) return 'unknown';
    const rolledBack = await rollBack(sql, block - 1);
    await sql('delete from chain_block where number >= $1', [block]);
    await sql('insert into chain_block (number, hash) values ($1, $2) on conflict do nothing', [
      block - 1,
      range.parentHash,
    ]);
    // Facts that remain are neither retracted nor announced again. If one goes, all facts of the block are announced.
    if (!surplus) await recordReread(sql, locked.blockNumber);
    const trades = await applyFacts(sql, range.facts);
    if (surplus && !range.complete && !(await agrees())) throw new Unproven();
    await storeHashes(sql, range);
    await moveCursor(sql, block, now);
    if (surplus) await announceRollback(tx, rolledBack, now);
    await announceFacts(tx, { facts: range.facts, trades, again: !surplus }, now);
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
  if (repair === 'repaired') deps.live.wake();
  return repair;
}

type ChainState = { readonly states: States; indexed(sql: Sql): Promise<States> };

/**
 * Reads the contract's state at the end of the block if the index has facts that the block's logs lack. Logs may be
 * incomplete, so the state decides which side is right. null if the logs lack no indexed fact, or if the RPC lacks the
 * state.
 */
async function chainStateOf({ sql, market }: IndexDeps, { to, facts }: ChainRange): Promise<ChainState | null> {
  const onChain = new Set(facts.map(factKey));
  if ([...(await indexedFactKeys(sql, to, to))].every((key) => onChain.has(key))) return null;
  const stored = await sql<{ agent: string }>(
    `select agent from transaction where block_number = $1
     union select wallet from market where block_number = $1
     union select agent from fee_withdrawal where block_number = $1`,
    [to],
  );
  const agents = [...new Set([...stored, ...facts].map(({ agent }) => agent))];
  const states = await stateOrNull(market, market.stateAt(to, agents));
  return states && { states, indexed: (within) => indexedStates(within, agents, to) };
}

/** Locations of all indexed facts in [from, to], as keys. */
export async function indexedFactKeys(sql: Sql, from: number, to: number): Promise<Set<string>> {
  const rows = await sql<{ block: number | string; log: number | string; hash: string }>(
    `select block_number as block, log_index as log, tx_hash as hash from transaction where block_number between $1 and $2
     union all select block_number, log_index, tx_hash from market where block_number between $1 and $2
     union all select f.block_number, f.log_index, f.tx_hash from fee_withdrawal f where f.block_number between $1 and $2`,
    [from, to],
  );
  return new Set(rows.map(({ block, log, hash }) => `${block} ${log} ${hash}`));
}

export const factKey = ({ blockNumber, logIndex, txHash }: Fact): string => `${blockNumber} ${logIndex} ${txHash}`;
