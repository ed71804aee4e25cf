import type { Deps } from '../../../deps.js';

type Part = { readonly state: 'ok' | 'down'; readonly detail?: string };
type Readiness = {
  readonly ready: boolean;
  readonly database: Part;
  readonly chain: Part & { readonly blockNumber: number | null };
  readonly index: Part & { readonly blockNumber: number | null; readonly lagBlocks: number | null };
};

/** Timeout of the check of one part. */
const CHECK_MS = 2000;

/** State of the database, the chain and the index. Without the chain, the service still answers from stored data. */
export async function stateOfParts(deps: Deps): Promise<Readiness> {
  const [cursor, head] = await Promise.all([settle(readCursor(deps)), settle(deps.market.blockNumber())]);
  const database: Part = cursor.ok ? { state: 'ok' } : { state: 'down' };
  const blockNumber = head.ok ? head.value : null;
  const indexed = cursor.ok ? (cursor.value?.blockNumber ?? null) : null;
  const fault = cursor.ok ? (cursor.value?.fault ?? null) : null;
  return {
    ready: cursor.ok && head.ok && fault === null,
    database,
    chain: { ...(head.ok ? { state: 'ok' as const } : { state: 'down' as const }), blockNumber },
    index: {
      state: cursor.ok && fault === null ? ('ok' as const) : ('down' as const),
      ...(fault === null ? {} : { detail: fault }),
      blockNumber: indexed,
      lagBlocks: blockNumber === null || indexed === null ? null : Math.max(0, blockNumber - indexed),
    },
  };
}

async function readCursor(deps: Deps): Promise<{ blockNumber: number; fault: string | null } | undefined> {
  const [row] = await deps.sql<{ blockNumber: number; fault: string | null }>(
    'select block_number as "blockNumber", fault from indexer_cursor',
  );
  return row;
}

type Settled<T> = { readonly ok: true; readonly value: T } | { readonly ok: false };
/** Resolves with the outcome of a check. A check that takes longer than CHECK_MS counts as failed. */
const settle = <T>(promise: Promise<T>): Promise<Settled<T>> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => resolve({ ok: false }), CHECK_MS);
    promise
      .then(
        (value) => resolve({ ok: true, value }),
        () => resolve({ ok: false }),
      )
      .finally(() => clearTimeout(timer));
  });
