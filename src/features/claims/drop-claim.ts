import { LockMode } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { Deps } from '../../deps.js';
import { AppError } from '../../errors.js';
import type { Actor } from '../../keys.js';
import { Agent } from '../agents/entities.js';

/**
 * Drops the claim of the caller's agent. The agent is pending again with the same code. The post can claim the same
 * registration again, but no other registration. Idempotent.
 */
export async function dropClaim(deps: Deps, { wallet }: Actor): Promise<void> {
  const drop = async (tx: SqlEntityManager): Promise<void> => {
    const row = await tx.findOne(Agent, { wallet }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (row === null) throw new AppError('INVALID_KEY');
    Object.assign(row, { socialHandle: null, claimedAt: null, claimPostId: null, claimFinal: false });
  };
  await deps.write(drop, { effect: true });
}
