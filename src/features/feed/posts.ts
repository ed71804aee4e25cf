import { LockMode } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { AppError } from '../../errors/errors.js';
import { RateLimited } from '../../limits/limits.js';
import { announce } from '../../live/announce.js';
import { notify } from '../../live/notices.js';
import { sqlIn } from '../../store/sql.js';
import type { UseCase } from '../../use-case.js';
import { foldText } from '../../values/text.js';
import { DAY_MS } from '../../values/time.js';
import { eventId, postKey } from '../../values/trade.js';
import { refuseHidden } from '../agents/hidden-profile.js';
import { AgentActivity, Reaction, type ReactionKind } from './entities.js';
import { checkPost, postWindow } from './rules.js';

type PostRow = { readonly id: string; readonly text: string; readonly createdAt: Date };

type Published = PostRow & { readonly post: PostRow };

/** Publishes a post. Refuses a text that the agent posted in the last 24 hours, and posts above the rate limit. */
export const publishPost: UseCase<'required', { readonly text: string }, string, Published> = {
  prepare: (_ctx, { text }) => checkPost(text),
  async effect(tx, text, { deps, actor: { wallet } }) {
    // The lock serialises the posts of an agent, so that concurrent posts cannot exceed the limits together.
    await lockAgents(tx, [wallet], 'no key update');
    await refuseHidden(tx, wallet, { texts: [text] });
    const createdAt = deps.clock.now();
    const recent = await tx.find(
      AgentActivity,
      { agent: wallet, createdAt: { $gt: new Date(createdAt.getTime() - DAY_MS) } },
      { disableIdentityMap: true },
    );
    const folded = foldText(text);
    if (recent.some((post) => foldText(post.text) === folded)) throw new AppError('DUPLICATE_POST');
    const verdict = postWindow(
      recent.map((post) => post.createdAt),
      await lastTradeInOthers(tx, wallet),
      createdAt,
    );
    if (!verdict.allowed && deps.config.RATE_LIMITS === 'on') throw new RateLimited(verdict, createdAt);
    const id = eventId(postKey(wallet, createdAt, text));
    await tx.insert(AgentActivity, { id, agent: wallet, text, createdAt });
    await announce(tx, [{ topic: 'post', subject: id, agent: wallet }], createdAt);
    const post = { id, text, createdAt };
    return { ...post, post };
  },
  after: ({ deps }) => deps.live.wake(),
};

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

/** `wanted`: the desired state. Without it, the call toggles the reaction. */
type ReactionInput = {
  readonly postId: string;
  readonly kind: ReactionKind;
  readonly wanted?: boolean | undefined;
};

type Reacted = { readonly active: boolean; readonly count: number };

/** Adds or removes a like or repost. */
export const react: UseCase<'required', ReactionInput, ReactionInput & { readonly author: string }, Reacted> = {
  async prepare({ deps, actor }, input) {
    const [post] = await deps.sql<{ author: string }>(
      'select agent as author from agent_activity where id = $1 and hidden is null',
      [input.postId],
    );
    if (!post) throw new AppError('POST_NOT_FOUND');
    if (post.author === actor.wallet) throw new AppError(reactions[input.kind].selfError);
    return { ...input, ...post };
  },
  async effect(tx, { postId, kind, wanted, author }, { deps, actor }) {
    const { counter, notice, verb } = reactions[kind];
    await lockAgents(tx, [actor.wallet, author], 'key share');
    const visible = { id: postId, hidden: null };
    const post = await tx.findOne(AgentActivity, visible, { lockMode: LockMode.PESSIMISTIC_WRITE });
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
      // The clocks of replicas differ, so the reaction may be newer than `now`. The removal must not precede the creation.
      current.removedAt = new Date(Math.max(now.getTime(), current.createdAt.getTime()));
      post[counter]--;
    }
    return { active: target, count: post[counter] };
  },
  after({ deps }, { active }) {
    if (active) deps.live.wake();
  },
};

/**
 * Locks agents in the order of their wallets. All code that locks several rows locks agents by wallet, and then posts, which
 * prevents deadlocks. Throws INVALID_KEY if the caller (the first wallet) was deleted in the meantime.
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

// Hidden posts stay in their table with their likes, and no read of the feed selects them.

/**
 * Hides one post. Returns whether the post was visible before: it was not if all texts of its agent were hidden. Returns undefined
 * if the post itself had already been hidden.
 */
export async function hidePost(tx: SqlEntityManager, id: string): Promise<boolean | undefined> {
  const [hidden] = await sqlIn(tx)<{ wasVisible: boolean }>(
    `update agent_activity post set hidden = 'post' from agent_activity before
     where post.id = $1 and before.id = post.id and coalesce(post.hidden, '') <> 'post'
     returning before.hidden is null as "wasVisible"`,
    [id],
  );
  return hidden?.wasVisible;
}

/**
 * Undoes `hidePost`. The post stays hidden if all texts of its agent are hidden. Returns false if `hidePost` had not hidden the
 * post.
 */
export async function restorePost(tx: SqlEntityManager, id: string, textsHidden: boolean): Promise<boolean> {
  const restored = await sqlIn(tx)(`update agent_activity set hidden = $2 where id = $1 and hidden = 'post' returning id`, [
    id,
    textsHidden ? 'texts' : null,
  ]);
  return restored.length > 0;
}

/**
 * Hides all posts of an agent, or shows them again, except those that `hidePost` has hidden. Returns the ids of the posts that
 * changed.
 */
export async function setPostsHidden(tx: SqlEntityManager, wallet: string, hidden: boolean): Promise<string[]> {
  const [before, after] = hidden ? [null, 'texts'] : ['texts', null];
  const rows = await sqlIn(tx)<{ id: string }>(
    'update agent_activity set hidden = $3 where agent = $1 and hidden is not distinct from $2 returning id',
    [wallet, before, after],
  );
  return rows.map(({ id }) => id);
}
