import type { EntitySchema } from '@mikro-orm/core';
import { RangeSize } from '../chain/logs/range-size.js';
import type { Deps } from '../deps.js';
import { deleteNotices } from '../live/notices.js';
import { INDEX, JOB, withTimeouts } from '../store/connections/timeouts.js';
import { sqlIn } from '../store/sql.js';
import { tradeKey } from '../values/trade.js';
import { ensureCursor, type IndexDeps, lockCursor, moveCursor, pruneHashes, readCursor } from './cursor.js';
import * as tables from './entities.js';
import { applyRange } from './ingest.js';
import { reconcile } from './reorg.js';
import { syncRanges } from './sync.js';

// A rebuild reads all facts into a separate schema, with the same functions as the indexer, while the service runs. Then
// one transaction corrects the rows that differ, so readers see the state before or after it.

export const REBUILD_SCHEMA = 'curvet_rebuild';

/** Entities of the tables that a rebuild corrects. */
const FACTS: readonly EntitySchema[] = [
  tables.MarketTable,
  tables.Transaction,
  tables.TicketHolding,
  tables.TicketLot,
  tables.WalletLedger,
  tables.Candle,
  tables.FeeWithdrawal,
  tables.FeeDestination,
  tables.ChainBlock,
];

/** Creates the empty schema. Drops the remains of an earlier rebuild. */
export async function prepareRebuild({ write }: Pick<Deps, 'write'>): Promise<void> {
  await write(async (tx) => {
    const sql = sqlIn(tx);
    await sql(DROP_SCHEMA);
    await sql(`create schema ${REBUILD_SCHEMA}`);
    // Unlogged tables need no WAL. Their loss in a crash is harmless, because a rebuild starts from the beginning.
    for (const table of [...FACTS, tables.IndexerCursor].map((entity) => tx.getMetadata(entity).tableName)) {
      await sql(`create unlogged table ${REBUILD_SCHEMA}.${table} (like ${table} including all)`);
    }
  });
}

export async function dropRebuild({ write }: Pick<Deps, 'write'>): Promise<void> {
  await write((tx) => sqlIn(tx)(DROP_SCHEMA));
}

const DROP_SCHEMA = `drop schema if exists ${REBUILD_SCHEMA} cascade`;

/** Number of removed and of added rows by table. A row with wrong values counts as both. */
export type Corrections = Readonly<Record<string, { readonly removed: number; readonly added: number }>>;

/**
 * Corrects the live tables in `schema` to the result of the rebuild, clears a fault and moves the cursor. Returns null if the live
 * index is ahead, so that the rebuild catches up first. With `final`, or if the live index has stopped, it corrects them anyway.
 */
async function adoptRebuild(deps: IndexDeps, schema: string, final: boolean): Promise<Corrections | null> {
  return deps.write(async (tx) => {
    const sql = sqlIn(tx);
    // The search path is the schema of the rebuild until the next statement sets that of the live tables.
    const rebuilt = await lockCursor(sql);
    await sql(`set local search_path to ${schema}`);
    const live = await lockCursor(sql);
    if (live.blockNumber > rebuilt.blockNumber && live.fault === null && !final) return null;
    const removedTrades = await sql<{ txHash: string; ordinal: number }>(
      `select tx_hash as "txHash", ordinal from transaction except select tx_hash, ordinal from ${REBUILD_SCHEMA}.transaction`,
    );
    const countChanged = async (statement: string): Promise<number> => {
      const [row] = await sql<{ rows: number }>(`with changed as (${statement} returning 1) select count(*) as rows from changed`);
      return row?.rows ?? 0;
    };
    const corrections: Record<string, { removed: number; added: number }> = {};
    for (const { tableName: table, props } of FACTS.map((entity) => tx.getMetadata(entity))) {
      const keys = props.filter(({ primary }) => primary).flatMap(({ fieldNames }) => fieldNames);
      const right = `${REBUILD_SCHEMA}.${table}`;
      const wrong = `select ${keys} from (select * from ${table} except select * from ${right}) wrong`;
      const removed = await countChanged(`delete from ${table} where (${keys}) in (${wrong})`);
      const added = await countChanged(`insert into ${table} select * from ${right} except select * from ${table}`);
      corrections[table] = { removed, added };
    }
    // No audit has compared what the rebuild has read, so `proved_to` becomes that of the rebuild.
    // A corrected fact may be as old as the chain, so everything that was derived from facts is derived again.
    const isCorrected = ['transaction', 'market', 'fee_destination'].some((table) => {
      const { removed = 0, added = 0 } = corrections[table] ?? {};
      return removed + added > 0;
    });
    await sql(
      `update indexer_cursor set fault = null, proved_to = $1, audit_from = $1,
         changed_block = case when $2 then -1 else changed_block end,
         changed_from = case when $2 then to_timestamp(0) else changed_from end`,
      [rebuilt.provedTo, isCorrected],
    );
    await moveCursor(sql, rebuilt.blockNumber, deps.clock.now(), rebuilt.blockTime);
    await deleteNotices(
      tx,
      removedTrades.map(({ txHash, ordinal }) => tradeKey(txHash, ordinal)),
    );
    return corrections;
  });
}

/** Maximum number of attempts to catch up with the running live index. If it is still ahead then, it is on an abandoned fork. */
const MAX_ATTEMPTS = 10;

export type RebuildProgress = (block: number, head: number) => void;

type Options = { readonly schema: string; readonly start: () => Promise<number>; readonly progress: RebuildProgress };

/** Reads all facts again into the schema that `deps` uses, and corrects the live tables in `schema`. */
export const rebuild = (deps: IndexDeps, options: Options): Promise<Corrections> =>
  withTimeouts(INDEX, () => readFromChain({ ...deps, live: undefined }, options));

async function readFromChain(deps: IndexDeps, { schema, start, progress }: Options): Promise<Corrections> {
  await ensureCursor(deps, start);
  const size = new RangeSize();
  for (let attempts = 0; ; ) {
    await reconcile(deps, 'gone');
    const { blockNumber, fault } = await readCursor(deps);
    if (fault !== null) throw new Error(`the rebuild has stopped: ${fault}`);
    const [live] = await deps.sql<{ block: number }>(`select block_number as block from ${schema}.indexer_cursor`);
    const newest = await deps.chain.blockNumber();
    // A submitted trade can move the live index past the confirmed head. The rebuild then reads up to the block of the
    // live index.
    const head = Math.max(newest - deps.config.confirmations, Math.min(newest, live?.block ?? 0));
    progress(blockNumber, head);
    await syncRanges(deps.chain, { from: blockNumber + 1, head, size }, async (range) => {
      const applied = await applyRange(deps, range);
      if (applied) progress(range.to, head);
      return applied;
    });
    if ((await readCursor(deps)).blockNumber < head) continue;
    await pruneHashes(deps, await deps.chain.finalized());
    const corrections = await withTimeouts(JOB, () => adoptRebuild(deps, schema, ++attempts === MAX_ATTEMPTS));
    if (corrections) return corrections;
  }
}
