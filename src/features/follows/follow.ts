import { LockMode } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { AppError } from '../../errors/errors.js';
import { notify } from '../../live/notices.js';
import type { UseCase } from '../../use-case.js';
import { Agent } from '../agents/entities.js';
import { findAgent } from '../agents/lookup.js';
import { AgentFollow } from './entity.js';

type FollowInput = {
  readonly targetAddress: string;
  /** Desired state of the follow. Without it, the call toggles the follow. */
  readonly following?: boolean | undefined;
};

type FollowState = { readonly following: boolean; readonly followerCount: number };

/** Follows or unfollows an agent, updates the counters of both agents, and notifies a followed agent. */
export const follow: UseCase<'required', FollowInput, FollowInput, FollowState> = {
  async prepare({ deps, actor }, input) {
    if (input.targetAddress === actor.wallet) throw new AppError('SELF_FOLLOW');
    await findAgent(deps, input.targetAddress);
    return input;
  },
  async effect(tx, input, { deps, actor }) {
    const now = deps.clock.now();
    const [follower, target] = await lockBoth(tx, actor.wallet, input.targetAddress);
    const current = await tx.findOne(AgentFollow, {
      follower: follower.wallet,
      followed: target.wallet,
      removedAt: null,
    });
    const following = input.following ?? current === null;
    if (following && current === null) {
      tx.create(AgentFollow, { follower: follower.wallet, followed: target.wallet, createdAt: now });
      follower.followingCount += 1;
      target.followerCount += 1;
      const { wallet, name, agentId } = follower;
      const notice = {
        recipient: target.wallet,
        type: 'NEW_FOLLOWER' as const,
        actor: wallet,
        subject: wallet,
        message: `${name} follows you`,
        data: { actor: wallet, actorName: name, actorAgentId: agentId },
      };
      await notify(tx, notice, now);
    } else if (!following && current !== null) {
      // The clocks of replicas differ, and a constraint refuses a removal before the creation, so the later time is stored.
      current.removedAt = new Date(Math.max(now.getTime(), current.createdAt.getTime()));
      follower.followingCount -= 1;
      target.followerCount -= 1;
    }
    return { following, followerCount: target.followerCount };
  },
  after({ deps }, { following }) {
    if (following) deps.live.wake();
  },
};

/** Locks both agents in the order of wallets, so that two agents that follow each other do not deadlock. */
async function lockBoth(tx: SqlEntityManager, ...wallets: [follower: string, target: string]) {
  const inOrder = { orderBy: { wallet: 'asc' }, lockMode: LockMode.PESSIMISTIC_WRITE } as const;
  const rows = await tx.find(Agent, { wallet: wallets }, inOrder);
  const [follower, target] = wallets.map((wallet) => rows.find((row) => row.wallet === wallet));
  if (follower === undefined) throw new AppError('INVALID_KEY');
  if (target === undefined) throw new AppError('AGENT_NOT_FOUND');
  return [follower, target] as const;
}
