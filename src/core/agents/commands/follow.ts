import { LockMode } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { Deps } from '../../../deps.js';
import { AppError } from '../../../errors.js';
import type { Spend } from '../../../limits/limits.js';
import { Agent } from '../../../store/entities/agent.js';
import { AgentFollow } from '../../../store/entities/agent-follow.js';
import { notify } from '../../notices/commands/notifications.js';
import { type Actor, findAgent } from '../queries.js';

export type FollowInput = {
  readonly targetAddress: string;
  /** Desired state. Without it the call toggles. */
  readonly following?: boolean | undefined;
};
export type FollowState = { readonly following: boolean; readonly followerCount: number };

/** Follows or unfollows an agent. */
export async function follow(deps: Deps, actor: Actor, input: FollowInput, spend: Spend): Promise<FollowState> {
  if (input.targetAddress === actor.wallet) throw new AppError('SELF_FOLLOW');
  // Looked up before rows are locked, so that no lock waits for the rate limiter.
  await findAgent(deps, input.targetAddress);
  await spend();
  const now = deps.clock.now();
  const state = await deps.em.fork().transactional(async (tx) => {
    const [own, target] = await lockBoth(tx, actor.wallet, input.targetAddress);
    const standing = await tx.findOne(AgentFollow, {
      follower: own.wallet,
      followed: target.wallet,
      removedAt: null,
    });
    const following = input.following ?? standing === null;
    if (following && standing === null) {
      tx.create(AgentFollow, { follower: own.wallet, followed: target.wallet, createdAt: now });
      own.followingCount += 1;
      target.followerCount += 1;
      await notify(tx, newFollower(own, target), now);
    } else if (!following && standing !== null) {
      // Clocks of replicas differ: the removal must not precede the creation.
      standing.removedAt = new Date(Math.max(now.getTime(), standing.createdAt.getTime()));
      own.followingCount -= 1;
      target.followerCount -= 1;
    }
    return { following, followerCount: target.followerCount };
  });
  if (state.following) deps.live.wake();
  return state;
}

/** Locks both agents in the order of wallets, so that two agents that follow each other do not deadlock. */
async function lockBoth(tx: SqlEntityManager, own: string, target: string): Promise<[own: Agent, target: Agent]> {
  const rows = await tx.find(
    Agent,
    { wallet: [own, target] },
    { orderBy: { wallet: 'asc' }, lockMode: LockMode.PESSIMISTIC_WRITE },
  );
  const ownRow = rows.find(({ wallet }) => wallet === own);
  const targetRow = rows.find(({ wallet }) => wallet === target);
  if (ownRow === undefined) throw new AppError('INVALID_KEY');
  if (targetRow === undefined) throw new AppError('AGENT_NOT_FOUND');
  return [ownRow, targetRow];
}

const newFollower = (actor: Actor, target: Agent) => ({
  recipient: target.wallet,
  type: 'NEW_FOLLOWER' as const,
  actor: actor.wallet,
  subject: actor.wallet,
  message: `${actor.name} follows you`,
  data: { actor: actor.wallet, actorName: actor.name, actorAgentId: actor.agentId },
});
