import type { Deps } from '../../../deps.js';
import { within } from '../../../times.js';

type Part = { readonly state: 'ok' | 'down'; readonly detail?: string };
type Readiness = {
  readonly ready: boolean;
  readonly database: Part;
  readonly chain: Part & { readonly blockNumber: number | null };
  readonly index: Part & { readonly blockNumber: number | null; readonly lagBlocks: number | null };
};

/** State of the database, the chain and the index. Without the chain, the service still answers from stored data. */
export async function stateOfParts(deps: Deps): Promise<Readiness> {
  const [cursor, head] = await Promise.all([
    answerInTime(deps, readCursor(deps)),
    answerInTime(deps, deps.market.blockNumber()),
  ]);
  const blockNumber = head ?? null;
  const indexed = cursor?.blockNumber ?? null;
  const fault = cursor?.fault ?? null;
  const database = partOf(cursor !== undefined);
  const chain = partOf(head !== undefined);
  return {
    ready: database.state === 'ok' && chain.state === 'ok' && fault === null,
    database,
    chain: { ...chain, blockNumber },
    index: {
      ...(fault === null ? database : { state: 'down', detail: fault }),
      blockNumber: indexed,
      lagBlocks: blockNumber === null || indexed === null ? null : Math.max(0, blockNumber - indexed),
    },
  };
}

const partOf = (ok: boolean): Part => ({ state: ok ? 'ok' : 'down' });

async function readCursor(deps: Deps): Promise<{ blockNumber: number; fault: string | null } | null> {
  const [row] = await deps.sql<{ blockNumber: number; fault: string | null }>(
    'select block_number as "blockNumber", fault from indexer_cursor',
  );
  return row ?? null;
}

/** The answer of a check. undefined if it fails, or takes too long. */
const answerInTime = <T>({ times }: Deps, check: Promise<T>): Promise<T | undefined> =>
  within(times, times.healthCheck, check).catch(() => undefined);
