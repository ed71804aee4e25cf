import { LockMode } from '@mikro-orm/core';
import type { Deps } from '../../../deps.js';
import { AppError } from '../../../errors.js';
import { Agent } from '../../../store/entities/agent.js';
import type { Actor } from '../queries/lookup.js';

/**
 * Drops the claim of the caller's agent, however it was made. The agent is pending again with the same code, and the post
 * can claim this registration again, but no other one. Without a claim it changes nothing, so that a retry succeeds.
 */
export async function dropClaim(deps: Deps, { wallet }: Actor): Promise<void> {
  await deps.em.fork().transactional(async (tx) => {
    const row = await tx.findOne(Agent, { wallet }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (row === null) throw new AppError('INVALID_KEY');
    Object.assign(row, { socialHandle: null, claimedAt: null, claimPostId: null, claimFinal: false });
  });
}
