import type { Deps } from '../../../deps.js';
import type { Wake } from '../../../live/live.js';
import { type Sql, sqlIn } from '../../../store/sql.js';

/** What the index works with: less than a use case, since it also runs alone. */
export type IndexDeps = Pick<Deps, 'config' | 'log' | 'clock' | 'write' | 'sql' | 'market'> & { readonly live: Wake };

export type Cursor = { readonly blockNumber: number; readonly fault: string | null };
/** `rereadTo`: up to this block the index has been before, so that what it reads there may have been told already. */
export type HeldCursor = Cursor & { readonly rereadTo: number };

/** The database holds another chain's facts: mixing them would be worse than stopping. */
export class OtherChain extends Error {}

/** Makes the cursor at the first start; afterwards checks that the facts are of the same contract and chain. */
export async function ensureCursor(deps: IndexDeps, findStart: () => Promise<number>): Promise<void> {
  const { contract, chainId } = deps.market;
  type Row = { contract: string; chainId: number };
  const read = () => deps.sql<Row>('select contract, chain_id as "chainId" from indexer_cursor');
  let [row] = await read();
  if (row === undefined) {
    // The block before the first stands for everything that cannot have been reorganised away: it holds no facts.
    const anchor = Math.max(1, await findStart()) - 1;
    const [hash] = await deps.market.hashes([anchor]);
    if (!hash) throw new OtherChain(`START_BLOCK: the chain has no block ${anchor} yet`);
    await deps.write(async (tx) => {
      await sqlIn(tx)('insert into chain_block (number, hash) values ($1, $2) on conflict do nothing', [anchor, hash]);
      await sqlIn(tx)(
        `insert into indexer_cursor (contract, chain_id, block_number, updated_at) values ($1, $2, $3, $4)
         on conflict do nothing`,
        [contract, chainId, anchor, deps.clock.now().toISOString()],
      );
    });
    [row] = await read();
  }
  if (row?.contract !== contract || row.chainId !== chainId) {
    throw new OtherChain(
      `CONTRACT_ADDRESS: "${contract}" on chain ${chainId} is not what this database holds, which is ${row?.contract} on chain ${row?.chainId}`,
    );
  }
}

export async function readCursor(deps: IndexDeps): Promise<Cursor> {
  const [row] = await deps.sql<Cursor>('select block_number as "blockNumber", fault from indexer_cursor');
  if (row === undefined) throw new Error('the indexer has no cursor');
  return row;
}

/** The cursor, held until the transaction ends: whoever applies facts holds it, so that they are applied in order. */
export async function lockCursor(sql: Sql): Promise<HeldCursor> {
  const [row] = await sql<{ block_number: string | number; fault: string | null; reread_to: string | number | null }>(
    'select block_number, fault, reread_to from indexer_cursor for update',
  );
  if (row === undefined) throw new Error('the indexer has no cursor');
  return { blockNumber: Number(row.block_number), fault: row.fault, rereadTo: Number(row.reread_to ?? 0) };
}

/** Notes that the index goes back from a block, and will read up to it again. */
export async function rereadFrom(sql: Sql, block: number): Promise<void> {
  await sql('update indexer_cursor set reread_to = greatest(reread_to, $1)', [block]);
}

/** The hash that is kept of a block. The cursor's block always has one. */
export async function hashOf(sql: Sql, block: number): Promise<string | undefined> {
  const [row] = await sql<{ hash: string }>('select hash from chain_block where number = $1', [block]);
  return row?.hash;
}

export async function moveCursor(sql: Sql, blockNumber: number, now: Date): Promise<void> {
  await sql('update indexer_cursor set block_number = $1, updated_at = $2', [blockNumber, now.toISOString()]);
}

export async function setFault(deps: IndexDeps, fault: string | null): Promise<void> {
  const values = [fault, deps.clock.now().toISOString()];
  await deps.write((tx) => sqlIn(tx)('update indexer_cursor set fault = $1, updated_at = $2', values));
}

/** How many blocks back hashes are kept at least, finalized or not. */
const KEPT_BLOCKS = 256;

/** Drops the hashes of blocks that no reorganisation can reach any more, but for the newest of those. */
export async function pruneHashes(deps: IndexDeps, finalized: number | null): Promise<void> {
  const { blockNumber } = await readCursor(deps);
  const before = Math.min(finalized ?? blockNumber, blockNumber - KEPT_BLOCKS);
  await deps.write(
    (tx) =>
      sqlIn(tx)('delete from chain_block where number < (select max(number) from chain_block where number <= $1)', [
        before,
      ]),
    { invalidates: false },
  );
}
