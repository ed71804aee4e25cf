import { LockMode } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { Deps } from '../../deps.js';
import { AppError } from '../../errors.js';
import { eventId, postKey } from '../../event-id.js';
import { AgentActivity, Reaction, type ReactionKind } from './entities.js';
import type { Actor } from '../../keys.js';
import type { Spend } from '../../limits/limits.js';
import { RateLimited } from '../../limits/refusal.js';
import { announce } from '../../live/announce.js';
import { sqlIn } from '../../store/sql.js';
import { DAY_MS } from '../../time.js';
import { refuseHidden } from '../agents/hidden-profile.js';
import { notify } from '../notices/notify.js';
import { foldText } from '../text/rules.js';
import { checkPost, postWindow } from './rules.js';

export type Posted = { readonly id: string; readonly text: string; readonly createdAt: Date };

/** Publishes a post. Refuses a text that the agent posted in the last 24 hours, and posts above the rate limit. */
export async function publishPost(deps: Deps, actor: Actor, raw: string): Promise<Posted> {
  const text = checkPost(raw);
  const publish = async (tx: SqlEntityManager): Promise<Posted> => {
    // The lock serialises the posts of an agent, so that concurrent posts count in the limits.
    await lockAgents(tx, [actor.wallet], 'no key update');
    await refuseHidden(tx, actor.wallet, { texts: [text] });
    const createdAt = deps.clock.now();
    const recent = await tx.find(
      AgentActivity,
      { agent: actor.wallet, createdAt: { $gt: new Date(createdAt.getTime() - DAY_MS) } },
      { disableIdentityMap: true },
    );
    const folded = foldText(text);
    if (recent.some((post) => foldText(post.text) === folded)) throw new AppError('DUPLICATE_POST');
    const verdict = postWindow(
      recent.map((post) => post.createdAt),
      await lastTradeInOthers(tx, actor.wallet),
      createdAt,
    );
    if (!verdict.allowed && deps.config.RATE_LIMITS === 'on') throw new RateLimited(verdict, createdAt);
    const id = eventId(postKey(actor.wallet, createdAt, text));
    await tx.insert(AgentActivity, { id, agent: actor.wallet, text, createdAt });
    await announce(tx, [{ topic: 'post', subject: id, agent: actor.wallet }], createdAt);
    return { id, text, createdAt };
  };
  const posted = await deps.write(publish, { effect: true });
  deps.live.wake();
  return posted;
}

/** Time of the agent's last trade in another agent's tickets. null if there is none. */
async function lastTradeInOthers(tx: SqlEntityManager, wallet: string): Promise<Date | null> {
  const [trade] = await sqlIn(tx)<{ time: Date }>(
    `select block_time as time from transaction
     where trader = $1 and agent <> $1 order by block_number desc, log_index desc limit 1`,
    [wallet],
  );
  return trade?.time ?? null;
}

const reactions = {
  like: { counter: 'likeCount', selfError: 'OWN_POST_LIKE', notice: 'POST_LIKED', verb: 'liked' },
  repost: { counter: 'repostCount', selfError: 'OWN_POST_REPOST', notice: 'POST_REPOSTED', verb: 'reposted' },
} as const;

export type Reacted = { readonly active: boolean; readonly count: number };

/** Adds or removes a like or repost. Without `wanted` it toggles. */
export async function react(
  deps: Deps,
  actor: Actor,
  { postId, kind, wanted }: { readonly postId: string; readonly kind: ReactionKind; readonly wanted?: boolean },
  spend: Spend,
): Promise<Reacted> {
  const { counter, selfError, notice, verb } = reactions[kind];
  const change = async (tx: SqlEntityManager): Promise<Reacted> => {
    const found = await tx.findOne(AgentActivity, { id: postId, hidden: null }, { disableIdentityMap: true });
    if (!found) throw new AppError('POST_NOT_FOUND');
    if (found.agent === actor.wallet) throw new AppError(selfError);
    // No row is locked yet, so no lock waits for the rate limiter.
    await spend();
    await lockAgents(tx, [actor.wallet, found.agent], 'key share');
    const post = await tx.findOne(
      AgentActivity,
      { id: postId, hidden: null },
      { lockMode: LockMode.PESSIMISTIC_WRITE },
    );
    if (!post) throw new AppError('POST_NOT_FOUND');
    const current = await tx.findOne(Reaction, { post: postId, actor: actor.wallet, kind, removedAt: null });
    const target = wanted ?? current === null;
    const now = deps.clock.now();
    if (target && !current) {
      tx.create(Reaction, { post: postId, actor: actor.wallet, kind, createdAt: now });
      post[counter]++;
      await notify(
        tx,
        {
          recipient: post.agent,
          type: notice,
          actor: actor.wallet,
          subject: `${actor.wallet}:${postId}`,
          message: `${actor.name} ${verb} your post`,
          data: { actor: actor.wallet, actorName: actor.name, actorAgentId: actor.agentId, postId },
        },
        now,
      );
    } else if (!target && current) {
      // Clocks of replicas differ: the removal must not precede the creation.
      current.removedAt = new Date(Math.max(now.getTime(), current.createdAt.getTime()));
      post[counter]--;
    }
    return { active: target, count: post[counter] };
  };
  const reacted = await deps.write(change, { effect: true });
  if (reacted.active) deps.live.wake();
  return reacted;
}

/**
 * Lock order: agents by wallet, then posts. All code that locks several rows follows it, which prevents deadlocks. Throws
 * INVALID_KEY if the caller (the first wallet) was deleted in the meantime.
 */
async function lockAgents(tx: SqlEntityManager, wallets: readonly string[], mode: 'key share' | 'no key update') {
  const text = `select wallet from agent where wallet = any($1::varchar[]) order by wallet for ${mode}`;
  const rows = await sqlIn(tx)<{ wallet: string }>(text, [wallets]);
  if (!rows.some(({ wallet }) => wallet === wallets[0])) throw new AppError('INVALID_KEY');
}

/** Subtracts the active reactions of an agent that is being deleted from the counters of other agents' posts. */
export async function withdrawReactions(tx: SqlEntityManager, wallet: string): Promise<void> {
  await sqlIn(tx)(
    `update agent_activity set like_count = like_count - gone.likes, repost_count = repost_count - gone.reposts
     from (
       select post, count(*) filter (where kind = 'like') as likes, count(*) filter (where kind = 'repost') as reposts
       from reaction where actor = $1 and removed_at is null group by post
     ) gone
     where agent_activity.id = gone.post`,
    [wallet],
  );
}
