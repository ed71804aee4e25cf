import { LockMode } from '@mikro-orm/core';
import type { Deps } from '../../../deps.js';
import { AppError } from '../../../errors.js';
import { Agent } from '../../../store/entities/agent.js';
import type { Actor } from '../queries/lookup.js';

/**
 * Drops the claim of the caller's agent. The agent is pending again with the same code. The post can claim the same
 * registration again, but no other one. Idempotent.
 */
export async function dropClaim(deps: Deps, { wallet }: Actor): Promise<void> {
  await deps.write(async (tx) => {
    const row = await tx.findOne(Agent, { wallet }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (row === null) throw new AppError('INVALID_KEY');
    Object.assign(row, { socialHandle: null, claimedAt: null, claimPostId: null, claimFinal: false });
  });
}
