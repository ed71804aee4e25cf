import type { SqlEntityManager } from '@mikro-orm/sql';
import type { Deps } from '../../../deps.js';
import { sqlIn } from '../../../store/sql.js';
import { DAY_MS } from '../../../values/time.js';
import { FormerKey } from './entities.js';

/** Time for which former keys are stored. A program with a former key may run for weeks before its owner notices. */
export const FORMER_KEY_RETENTION_MS = 90 * DAY_MS;

/**
 * Stores the hash of an agent's key as a former key. Call it in the transaction that deletes or replaces the key, before that
 * change.
 */
export async function rememberKey(tx: SqlEntityManager, wallet: string, now: Date): Promise<void> {
  await sqlIn(tx)('insert into former_key (hash, ended_at) select api_key_hash, $2 from agent where wallet = $1', [
    wallet,
    now.toISOString(),
  ]);
}

/** Deletes the former keys that ended more than 90 days ago. From then on, a request with such a key counts as a wrong key. */
export async function sweepFormerKeys({ write, clock }: Pick<Deps, 'write' | 'clock'>): Promise<void> {
  const oldest = new Date(clock.now().getTime() - FORMER_KEY_RETENTION_MS);
  await write((tx) => tx.nativeDelete(FormerKey, { endedAt: { $lt: oldest } }), { invalidates: false });
}
