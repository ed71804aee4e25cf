import type { Deps } from '../deps.js';
import { OperatorError } from '../errors/errors.js';
import type { Live } from '../live/live.js';
import { type Sql, sqlIn } from '../store/sql.js';

/** Dependencies of the index. Fewer than Deps, because the index also runs without the APIs. */
export type IndexDeps = Pick<Deps, 'config' | 'log' | 'clock' | 'write' | 'sql' | 'chain' | 'times' | 'outages' | 'metrics'> & {
  /** Absent in a rebuild, which creates no notifications and no live events. */
  readonly live?: Pick<Live, 'wake'> | undefined;
};

type Cursor = {
  readonly blockNumber: number;
  readonly fault: string | null;
  /** Block that the index had reached before it went back. Subscribers may already have events of the blocks up to it. */
  readonly rereadTo: number;
  /** Block up to which an audit has proved the index equal to the contract. */
  readonly provedTo: number;
  /** Time of the block `blockNumber`. Of an index that has just gone back, that of its newest trade. null before the first block. */
  readonly blockTime: Date | null;
};

/** The database holds facts of another chain or contract. The service stops, because facts must not mix. */
export class OtherChainData extends OperatorError {}

/** Creates the cursor at the first start. Later it checks that the database belongs to this contract and chain. */
export async function ensureCursor(deps: IndexDeps, findStart: () => Promise<number>): Promise<void> {
  const { contract, chainId } = deps.chain;
  type Row = { contract: string; chainId: number };
  const read = () => deps.sql<Row>('select contract, chain_id as "chainId" from indexer_cursor');
  let [row] = await read();
  if (row === undefined) {
    // The cursor starts at the block before the first block to read. That block holds no facts and is assumed final.
    const anchor = Math.max(1, await findStart()) - 1;
    const [hash] = await deps.chain.hashes([anchor]);
    if (!hash) throw new OtherChainData(`START_BLOCK: the chain has no block ${anchor} yet`);
    await deps.write(async (tx) => {
      await sqlIn(tx)('insert into chain_block (number, hash) values ($1, $2) on conflict do nothing', [anchor, hash]);
      await sqlIn(tx)(
        `insert into indexer_cursor (contract, chain_id, block_number, proved_to, audit_from, updated_at)
         values ($1, $2, $3, $3, $3, $4) on conflict do nothing`,
        [contract, chainId, anchor, deps.clock.now().toISOString()],
      );
    });
    [row] = await read();
  }
  if (row?.contract !== contract || row.chainId !== chainId) {
    throw new OtherChainData(
      `CONTRACT_ADDRESS: "${contract}" on chain ${chainId} is not the contract of this database, which is ${row?.contract} on chain ${row?.chainId}`,
    );
  }
}

/** Whether the index has gone back and has not reached its former block again. Meanwhile, facts may be missing. */
export const isRereading = ({ blockNumber, fault, rereadTo }: Cursor): boolean => fault === null && blockNumber < rereadTo;

/** State of the index for `/ready` and other answers. Both fields are null before the first start of the index. */
export type IndexState = { readonly blockNumber: number | null; readonly fault: string | null };

/** Reads the state of the index, and whether the database is read-only, in one statement. */
export async function readIndexState({ sql }: Pick<Deps, 'sql'>): Promise<IndexState & { isReadOnly: boolean }> {
  // `(select)` is a row without columns, so the answer has a row even if there is no cursor.
  const [row] = await sql<IndexState & { isReadOnly: boolean }>(
    `select current_setting('transaction_read_only') = 'on' as "isReadOnly", block_number as "blockNumber", fault
     from (select) as one left join indexer_cursor on true`,
  );
  if (row === undefined) throw new Error('the database answers without a row');
  return row;
}

export const readCursor = (deps: IndexDeps): Promise<Cursor> => cursorIn(deps.sql);

/** Reads and locks the cursor until the transaction ends, so that facts are applied in order. */
export const lockCursor = (sql: Sql): Promise<Cursor> => cursorIn(sql, 'for update');

async function cursorIn(sql: Sql, lock = ''): Promise<Cursor> {
  const [row] = await sql<Cursor>(
    `select block_number as "blockNumber", fault, coalesce(reread_to, 0) as "rereadTo", proved_to as "provedTo", block_time as "blockTime"
     from indexer_cursor ${lock}`,
  );
  if (row === undefined) throw new Error('the indexer has no cursor');
  return row;
}

/** Records that the index goes back, and that it reads the blocks up to `block` again. */
export async function recordReread(sql: Sql, block: number): Promise<void> {
  await sql('update indexer_cursor set reread_to = greatest(reread_to, $1)', [block]);
}

/** Stored hash of a block. undefined if it is not stored. The hash of the cursor's block is always stored. */
export async function hashOf(sql: Sql, block: number): Promise<string | undefined> {
  const [row] = await sql<{ hash: string }>('select hash from chain_block where number = $1', [block]);
  return row?.hash;
}

/**
 * Moves the cursor. If it goes back, `proved_to` and `audit_from` go back with it, because later blocks are read again. `time` is that
 * of the block; a trigger finds it if the cursor goes back.
 */
export async function moveCursor(sql: Sql, blockNumber: number, now: Date, time: Date | null = null): Promise<void> {
  await sql(
    `update indexer_cursor set block_number = $1, proved_to = least(proved_to, $1), audit_from = least(audit_from, $1),
       block_time = coalesce($3, block_time), updated_at = $2`,
    [blockNumber, now.toISOString(), time?.toISOString() ?? null],
  );
}

/** Facts that may have changed: those of blocks after `block`, whose times are `from` or later. */
export type Changes = { readonly block: number; readonly from: Date };

/**
 * The facts that may have changed since the last call, because the index went back. null if none has. The caller has locked the
 * cursor, and takes back what it derived from them.
 */
export async function takeChanges(sql: Sql): Promise<Changes | null> {
  const [row] = await sql<Changes>(
    'select changed_block as block, changed_from as "from" from indexer_cursor where changed_from is not null',
  );
  if (row) await sql('update indexer_cursor set changed_block = null, changed_from = null');
  return row ?? null;
}

export async function setFault(deps: IndexDeps, fault: string | null): Promise<void> {
  const values = [fault, deps.clock.now().toISOString()];
  await deps.write((tx) => sqlIn(tx)('update indexer_cursor set fault = $1, updated_at = $2', values));
}

/** Minimum number of blocks behind the cursor whose hashes stay stored, even if the blocks are finalized. */
const MIN_STORED_BLOCKS = 256;

/**
 * Deletes the hashes of blocks that no reorg can reach. The newest of them stays, so that `reconcile` finds a common block.
 * `finalized` is null if the RPC does not know it; then only MIN_STORED_BLOCKS counts.
 */
export async function pruneHashes(deps: IndexDeps, finalized: number | null): Promise<void> {
  const { blockNumber } = await readCursor(deps);
  const before = Math.min(finalized ?? blockNumber, blockNumber - MIN_STORED_BLOCKS);
  await deps.write(
    (tx) => sqlIn(tx)('delete from chain_block where number < (select max(number) from chain_block where number <= $1)', [before]),
    { invalidates: false },
  );
}
