import { LockMode } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { Deps } from '../../deps.js';
import { AppError } from '../../errors/errors.js';
import type { Actor } from '../../keys.js';
import { PostHostUnavailable, type SocialPost } from '../../posthost/post-host.js';
import { sqlIn } from '../../store/sql.js';
import type { UseCase } from '../../use-case.js';
import { Agent } from '../agents/entities.js';
import { type AgentRecord, agentByCode } from '../agents/lookup.js';
import { throwRefusal } from '../agents/refusals.js';
import { containsCode, type PostUrl, parsePostUrl, sameHandle } from '../agents/rules.js';

type Verification = { readonly verificationCode: string; readonly tweetUrl: string };

/** A post that contains the verification code of `agent`. `withKey`: whether its URL was sent with the agent's API key. */
type Proof = PostUrl & { readonly agent: AgentRecord; readonly withKey: boolean };

type Claimed = Omit<Actor, 'keyHash'> & { readonly socialHandle: string };

/**
 * Claims an agent for the author of a post that contains its verification code. The API key is optional, but if it is sent, it must
 * be the agent's. A posted code is public, so a stranger may claim the agent without the key. A claim with the key replaces such a
 * claim, and is final.
 */
export const verify: UseCase<'optional', Verification, Proof, Claimed> = {
  async prepare({ deps, actor, count }, input) {
    const agent = await agentByCode(deps, input.verificationCode);
    if (agent === null) throw new AppError('CODE_UNKNOWN');
    if (actor !== null && actor.wallet !== agent.wallet) throw new AppError('NOT_AUTHORIZED');
    const withKey = actor !== null;
    if (agent.isClaimed && (agent.claimFinal || !withKey)) throw new AppError('ALREADY_CLAIMED');
    const url = parsePostUrl(input.tweetUrl);
    await count();
    const post = await readPost(deps, url);
    // Anybody can write any handle in a URL, so the author that the post host names must have this handle. A proxy of plain text
    // (SOCIAL_PROXY_PLAIN) names no author: then nothing checks the handle here.
    if (post?.author && !sameHandle(post.author, url.handle)) throw new AppError('POST_AUTHOR_MISMATCH');
    if (post === null || !containsCode(post.text, input.verificationCode)) throw new AppError('CODE_NOT_IN_POST');
    return { ...url, agent, withKey };
  },
  /** Of concurrent requests, the row lock lets only one claim the agent, and unique constraints let only one use the post. */
  async effect(tx, { agent, handle, postId, withKey }, { deps }) {
    const { wallet, name, agentId, verificationCode, createdAt } = agent;
    // While the post was read, the profile may have been replaced by one with the same wallet and code. Its creation time differs,
    // so this does not find it.
    const current = { wallet, verificationCode, createdAt };
    const row = await tx.findOne(Agent, current, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (row === null) throw new AppError('CODE_UNKNOWN');
    if (row.claimedAt !== null && (row.claimFinal || !withKey)) throw new AppError('ALREADY_CLAIMED');
    await usePost(tx, postId, wallet);
    // A claim that replaces an earlier claim takes over its time, because seasons count the agent as claimed from that time on.
    const claimedAt = row.claimedAt ?? deps.clock.now();
    Object.assign(row, { socialHandle: handle, claimedAt, claimPostId: postId, claimFinal: withKey });
    await tx.flush().catch(throwRefusal);
    return { wallet, name, agentId, socialHandle: handle };
  },
};

async function readPost({ posts }: Deps, url: PostUrl): Promise<SocialPost | null> {
  try {
    return await posts.read(url.canonical);
  } catch (error) {
    if (error instanceof PostHostUnavailable) throw new AppError('VERIFIER_UNAVAILABLE', {}, { cause: error });
    throw error;
  }
}

/**
 * Records that the post claims the wallet's current registration. Refuses a post that claimed another registration, even if
 * that claim was dropped or its agent deleted: a later registration may get the same code.
 */
async function usePost(tx: SqlEntityManager, postId: string, wallet: string): Promise<void> {
  const used = await sqlIn(tx)(
    `insert into used_post as used (post_id, wallet, registered_at)
     select $1, wallet, created_at from agent where wallet = $2
     on conflict (post_id) do update set post_id = excluded.post_id
     where (used.wallet, used.registered_at) = (excluded.wallet, excluded.registered_at)
     returning post_id`,
    [postId, wallet],
  );
  if (used.length === 0) throw new AppError('POST_USED');
}

/**
 * Drops the claim of the caller's agent. The agent is unclaimed again, with the same code. The post can claim the same
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
