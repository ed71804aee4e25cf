import type { Deps } from '../../../deps.js';
import { sqlIn } from '../../../store/sql.js';
import { tradeKey } from '../../events/event-id.js';
import { forget } from '../../notices/commands/notifications.js';
import { type IndexDeps, lockCursor, moveCursor } from './cursor.js';

// A rebuild fills a schema of its own with the facts, by the same functions that follow the chain, while everybody goes
// on reading. Then what differs is put right in one transaction: readers see the state before it or after it.

export const REBUILD_SCHEMA = 'curvet_rebuild';

/** The tables of facts and their keys. */
const TABLES: Readonly<Record<string, readonly string[]>> = {
  market: ['wallet'],
  transaction: ['tx_hash', 'ordinal'],
  ticket_holding: ['agent', 'holder'],
  ticket_lot: ['agent', 'holder', 'block_number', 'log_index'],
  wallet_ledger: ['wallet'],
  candle: ['agent', 'hour'],
  fee_withdrawal: ['tx_hash', 'ordinal'],
  chain_block: ['number'],
};

/** Makes the empty schema. What an earlier rebuild left when it was killed goes. */
export async function prepareRebuild({ write }: Pick<Deps, 'write'>): Promise<void> {
  await write(async (tx) => {
    const sql = sqlIn(tx);
    await sql(DROP_SCHEMA);
    await sql(`create schema ${REBUILD_SCHEMA}`);
    // Its content is worth nothing after a crash, so that the log of the database can do without.
    for (const table of [...Object.keys(TABLES), 'indexer_cursor']) {
      await sql(`create unlogged table ${REBUILD_SCHEMA}.${table} (like ${table} including all)`);
    }
  });
}

export async function dropRebuild({ write }: Pick<Deps, 'write'>): Promise<void> {
  await write((tx) => sqlIn(tx)(DROP_SCHEMA));
}

const DROP_SCHEMA = `drop schema if exists ${REBUILD_SCHEMA} cascade`;

/** How many rows were wrong: what was removed, and what was added, table by table. */
export type Corrections = Readonly<Record<string, { readonly removed: number; readonly added: number }>>;

/**
 * Makes the tables of facts what the rebuild found, clears a fault, and moves the cursor to where the rebuild stands.
 * null if the live index is further by now: then the rebuild has to follow, unless it is `final`. `schema` is where the
 * live tables are.
 */
export async function adoptRebuild(deps: IndexDeps, schema: string, final: boolean): Promise<Corrections | null> {
  return deps.write(async (tx) => {
    const sql = sqlIn(tx);
    const rebuilt = await lockCursor(sql);
    await sql(`set local search_path to ${schema}`);
    const live = await lockCursor(sql);
    if (live.blockNumber > rebuilt.blockNumber && live.fault === null && !final) return null;
    const gone = await sql<{ tx_hash: string; ordinal: number }>(
      `select tx_hash, ordinal from transaction except select tx_hash, ordinal from ${REBUILD_SCHEMA}.transaction`,
    );
    const changed = async (statement: string): Promise<number> => {
      const [row] = await sql<{ rows: string }>(
        `with changed as (${statement} returning 1) select count(*) as rows from changed`,
      );
      return Number(row?.rows);
    };
    const corrections: Record<string, { removed: number; added: number }> = {};
    for (const [table, keys] of Object.entries(TABLES)) {
      const right = `${REBUILD_SCHEMA}.${table}`;
      const wrong = `select ${keys} from (select * from ${table} except select * from ${right}) wrong`;
      const removed = await changed(`delete from ${table} where (${keys}) in (${wrong})`);
      const added = await changed(`insert into ${table} select * from ${right} except select * from ${table}`);
      corrections[table] = { removed, added };
    }
    await sql('update indexer_cursor set fault = null');
    await moveCursor(sql, rebuilt.blockNumber, deps.clock.now());
    await forget(
      tx,
      gone.map(({ tx_hash, ordinal }) => tradeKey(tx_hash, Number(ordinal))),
    );
    return corrections;
  });
}
