import type { SqlEntityManager } from '@mikro-orm/sql';
import type { Deps } from '../../../deps.js';
import { sqlIn } from '../../../store/sql.js';
import { DAY_MS } from '../../../values/time.js';
import { FormerKey } from './entities.js';

/** A program that still has a former key may run for weeks before its owner sees it. */
export const FORMER_KEY_RETENTION_MS = 90 * DAY_MS;

/** Remembers the key of an agent that loses it in this transaction. Call it before the key changes. */
export async function rememberKey(tx: SqlEntityManager, wallet: string, now: Date): Promise<void> {
  await sqlIn(tx)('insert into former_key (hash, ended_at) select api_key_hash, $2 from agent where wallet = $1', [
    wallet,
    now.toISOString(),
  ]);
}

/** Forgets the keys that ended 90 days ago. From then on, such a key counts as a wrong one. */
export async function sweepFormerKeys({ write, clock }: Pick<Deps, 'write' | 'clock'>): Promise<void> {
  const oldest = new Date(clock.now().getTime() - FORMER_KEY_RETENTION_MS);
  await write((tx) => tx.nativeDelete(FormerKey, { endedAt: { $lt: oldest } }), { invalidates: false });
}
