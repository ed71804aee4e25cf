import { LockMode } from '@mikro-orm/core';
import type { Deps } from '../../../deps.js';
import { AppError } from '../../../errors.js';
import { type Post, PostHostUnavailable } from '../../../posthost/posthost.js';
import { Agent } from '../../../store/entities/Agent.js';
import { violatedConstraint } from '../../../store/violation.js';
import { type Actor, type AgentRecord, agentByCode } from '../queries.js';
import { containsCode, type PostUrl, parsePostUrl, sameHandle } from '../rules.js';

export type Verification = { readonly verificationCode: string; readonly tweetUrl: string };

/** An agent with its new owner. */
export type Claimed = Actor & { readonly socialHandle: string };

/** Claims an agent for the author of a post that has its code. A key, if one was sent, must be that agent's. */
export async function verify(deps: Deps, actor: Actor | null, input: Verification): Promise<Claimed> {
  const agent = await agentByCode(deps, input.verificationCode);
  if (agent === null) throw new AppError('CODE_UNKNOWN');
  if (agent.isClaimed) throw new AppError('ALREADY_CLAIMED');
  if (actor !== null && actor.wallet !== agent.wallet) throw new AppError('NOT_AUTHORIZED');
  const url = parsePostUrl(input.tweetUrl);
  const post = await readPost(deps, url);
  // Anyone can put any handle into such a URL: only the host knows who wrote the post.
  if (post?.author && !sameHandle(post.author, url.handle)) throw new AppError('POST_AUTHOR_MISMATCH');
  if (post === null || !containsCode(post.text, input.verificationCode)) throw new AppError('CODE_NOT_IN_POST');
  return save(deps, agent, url.postId, post.author ?? url.handle);
}

async function readPost({ posts }: Deps, url: PostUrl): Promise<Post | null> {
  try {
    return await posts.read(url.canonical);
  } catch (error) {
    if (error instanceof PostHostUnavailable) throw new AppError('VERIFIER_UNAVAILABLE', {}, { cause: error });
    throw error;
  }
}

/** Of two at the same moment one claims the agent, and one agent is claimed by the post. */
async function save(deps: Deps, agent: AgentRecord, postId: string, socialHandle: string): Promise<Claimed> {
  const { wallet, name, agentId, verificationCode } = agent;
  try {
    await deps.em.fork().transactional(async (tx) => {
      // By the code: the profile may have been replaced while the post was read.
      const row = await tx.findOne(Agent, { wallet, verificationCode }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      if (row === null) throw new AppError('CODE_UNKNOWN');
      if (row.claimedAt !== null) throw new AppError('ALREADY_CLAIMED');
      Object.assign(row, { socialHandle, claimedAt: deps.clock.now(), claimPostId: postId });
    });
  } catch (error) {
    if (violatedConstraint(error) !== 'agent_claim_post_id_unique') throw error;
    throw new AppError('POST_USED', {}, { cause: error });
  }
  return { wallet, name, agentId, socialHandle };
}
