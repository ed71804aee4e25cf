import type { Fact } from '../../../chain/logs/facts.js';
import type { ChainRange } from '../../../chain/logs/ranges.js';
import { type Sql, sqlIn } from '../../../store/sql.js';
import { hashOf, type IndexDeps, lockCursor, moveCursor, rereadFrom } from './cursor.js';
import { applyFacts, keepHashes } from './ingest.js';
import { tellOf } from './notices.js';
import { takeBack, tellOfGone } from './reorganise.js';
import { answeredState, indexedStates, type States, sameStates } from './states.js';

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
  const witness = range.complete ? null : await witnessOf(deps, range);
  const now = deps.clock.now();
  const transaction = deps.em.fork().transactional(async (tx): Promise<Repair> => {
    const sql = sqlIn(tx);
    const held = await lockCursor(sql);
    // A cursor that has moved on is on the same fork if the hash that was compared with the chain is still stored.
    if (held.fault !== null || held.blockNumber < cursor.number) return 'unknown';
    if ((await hashOf(sql, cursor.number)) !== cursor.hash) return 'unknown';
    const stored = await placesOf(sql, block, block);
    const right = new Set(range.facts.map(placeOf));
    if (stored.size === right.size && [...stored].every((place) => right.has(place))) return 'right';
    const invented = [...stored].some((place) => !right.has(place));
    const agrees = async () => witness !== null && sameStates(await witness.of(sql), witness.states);
    if (invented && !range.complete && (witness === null || (await agrees()))) return 'unknown';
    const gone = await takeBack(sql, block - 1);
    await sql('delete from chain_block where number >= $1', [block]);
    await sql('insert into chain_block (number, hash) values ($1, $2) on conflict do nothing', [
      block - 1,
      range.parentHash,
    ]);
    // Facts that remain are neither retracted nor announced again. If one goes, all facts of the block are announced.
    if (!invented) await rereadFrom(sql, held.blockNumber);
    const trades = await applyFacts(sql, range.facts);
    if (invented && !range.complete && !(await agrees())) throw new Unproven();
    await keepHashes(sql, range);
    await moveCursor(sql, block, now);
    if (invented) await tellOfGone(tx, gone, now);
    await tellOf(tx, range.facts, trades, now, !invented);
    deps.log.warn({ block, from: held.blockNumber }, 'the index lacked facts of a block; indexing restarts from there');
    return 'repaired';
  });
  const repair = await transaction.catch((error: unknown): Repair => {
    if (error instanceof Unproven) return 'unknown';
    throw error;
  });
  if (repair === 'repaired') deps.live.wake();
  return repair;
}

type Witness = { readonly states: States; of(sql: Sql): Promise<States> };

/**
 * The contract's state at the end of the block. It decides whether a fact that the answer lacks exists, because a list of
 * logs may be incomplete. null if no fact is in question or the RPC lacks the state.
 */
async function witnessOf({ sql, market }: IndexDeps, { to, facts }: ChainRange): Promise<Witness | null> {
  const right = new Set(facts.map(placeOf));
  if ([...(await placesOf(sql, to, to))].every((place) => right.has(place))) return null;
  const stored = await sql<{ agent: string }>(
    `select agent from transaction where block_number = $1
     union select wallet from market where block_number = $1
     union select agent from fee_withdrawal where block_number = $1`,
    [to],
  );
  const agents = [...new Set([...stored, ...facts].map(({ agent }) => agent))];
  const states = await answeredState(market, market.stateAt(to, agents));
  return states && { states, of: (within) => indexedStates(within, agents, to) };
}

/** Locations of all indexed facts in [from, to], as keys. */
export async function placesOf(sql: Sql, from: number, to: number): Promise<Set<string>> {
  const rows = await sql<{ block: number | string; log: number | string; hash: string }>(
    `select block_number as block, log_index as log, tx_hash as hash from transaction where block_number between $1 and $2
     union all select block_number, log_index, tx_hash from market where block_number between $1 and $2
     union all select f.block_number, f.log_index, f.tx_hash from fee_withdrawal f where f.block_number between $1 and $2`,
    [from, to],
  );
  return new Set(rows.map(({ block, log, hash }) => `${block} ${log} ${hash}`));
}

export const placeOf = ({ blockNumber, logIndex, txHash }: Fact): string => `${blockNumber} ${logIndex} ${txHash}`;
