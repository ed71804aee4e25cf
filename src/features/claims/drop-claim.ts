import { LockMode } from '@mikro-orm/core';
import { AppError } from '../../errors.js';
import type { Actor } from '../../keys.js';
import type { UseCase } from '../../use-case.js';
import { Agent } from '../agents/entities.js';

/**
 * Drops the claim of the caller's agent. The agent is pending again with the same code. The post can claim the same
 * registration again, but no other registration. Idempotent.
 */
export const dropClaim: UseCase<'required', object, Actor, Actor> = {
  prepare: ({ actor }) => actor,
  async effect(tx, actor) {
    const { wallet } = actor;
    const row = await tx.findOne(Agent, { wallet }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (row === null) throw new AppError('INVALID_KEY');
    Object.assign(row, { socialHandle: null, claimedAt: null, claimPostId: null, claimFinal: false });
    return actor;
  },
};
