import type { SqlEntityManager } from '@mikro-orm/sql';
import { CONTENT_MAX_AGE_MS } from '../../cache/caches.js';
import type { Deps } from '../../deps.js';
import { AppError } from '../../errors/errors.js';
import { announce, type News, restorations, retractions } from '../../live/announce.js';
import { deleteNoticesOnPosts, storeNotices } from '../../live/notices.js';
import { sqlIn } from '../../store/sql.js';
import { pause } from '../../tasks.js';
import { checkLength, cleanText } from '../../values/text.js';
import { hiddenParts, hidePart, restorePart } from '../agents/hidden-profile.js';
import { lookupOf } from '../agents/lookup.js';
import { lockManyPosts } from '../agents/registration/remove.js';
import { checkAvatarUrl } from '../agents/rules.js';
import { hidePost, restorePost, setPostsHidden } from '../feed/posts.js';
import { setThesesHidden } from '../theses/theses.js';
import { Moderation, type ModerationAction, type ModerationTarget } from './entity.js';

export { moderationActions, moderationTargets } from './entity.js';

export type ModerationRequest = {
  readonly action: ModerationAction;
  readonly target: ModerationTarget;
  /** Id of a post, or an agent's wallet address, agentId or name. */
  readonly subject: string;
  /** URL of the picture that replaces the avatar. Only for rename-avatar. */
  readonly avatarUrl?: string | undefined;
  /** Name of the operator who acts, for the record. */
  readonly operator: string;
  /** Reason of the action. The agent reads it in a notification. */
  readonly reason: string;
};

/** Result of an action. `changed`: whether anything changed. `gone` and `back`: ids of posts that disappear or appear again. */
type Effect = { readonly changed: boolean; readonly gone?: readonly string[]; readonly back?: readonly string[] };
type Subject = { readonly agent: string; readonly id: string };
/** Carries out one action. `shown`: URL of the operator's picture instead of the avatar. With null, no picture is shown. */
type Act = (tx: SqlEntityManager, subject: Subject & { readonly shown: string | null }, now: Date) => Promise<Effect>;

/**
 * Hides content of an agent, brings it back, or replaces an avatar, and records who did it and why. Facts of the chain and
 * points do not change. Returns when no process serves the hidden content any more. `changed` is false if the content already was
 * in the requested state. The action is not recorded then.
 */
export async function moderate(deps: Pick<Deps, 'write' | 'clock' | 'times' | 'live' | 'config'>, request: ModerationRequest) {
  const { action, target } = request;
  const operator = checkText('operator', request.operator, 64);
  const reason = checkText('reason', request.reason, 200);
  if (action === 'rename-avatar' && target !== 'avatar') {
    throw new AppError('INVALID_FIELD', { field: 'target', expected: 'avatar' });
  }
  const avatarUrl = action === 'rename-avatar' ? checkAvatarUrl(request.avatarUrl ?? '') : null;
  const now = deps.clock.now();
  const work = async (tx: SqlEntityManager) => {
    await lockManyPosts(tx);
    const subject = await (target === 'post' ? postOf : walletOf)(tx, request.subject);
    const { agent } = subject;
    await sqlIn(tx)('select from agent where wallet = $1 for update', [agent]);
    const act = (action === 'restore' ? restores : hides)[target];
    const { changed, gone = [], back = [] } = await act(tx, { ...subject, shown: avatarUrl }, now);
    if (!changed) return { changed, agent };
    const record = { action, target, subject: subject.id, agent, avatarUrl, operator, reason, createdAt: now };
    const id = await tx.insert(Moderation, record);
    const notices = await deleteNoticesOnPosts(tx, agent, gone);
    const told = await storeNotices(tx, [noticeOf(record, Number(id))], now);
    const removals: News[] = await retractions(tx, [...gone, ...notices], now);
    await announce(tx, [...removals, ...(await restorations(tx, back, now)), ...told], now);
    return { changed, agent };
  };
  const moderated = await deps.write(work);
  deps.live.wake();
  // The write has made the caches of this process stale. Other processes may serve hidden content from their caches until it
  // expires, so this waits for that time.
  if (moderated.changed && deps.config.DATABASE_URL !== undefined) await pause(deps.times, CONTENT_MAX_AGE_MS);
  return moderated;
}

function checkText(field: 'operator' | 'reason', raw: string, max: number): string {
  const text = cleanText(raw);
  if (text === '') throw new AppError('MISSING_FIELD', { field });
  checkLength(field, text, max);
  return text;
}

async function postOf(tx: SqlEntityManager, id: string): Promise<Subject> {
  const [post] = await sqlIn(tx)<Subject>('select id, agent from agent_activity where id = $1', [id]);
  if (post === undefined) throw new AppError('POST_NOT_FOUND');
  return post;
}

/** Finds the wallet of an agent. Also finds the wallet of an agent that was deleted while a part of its profile was hidden. */
async function walletOf(tx: SqlEntityManager, reference: string): Promise<Subject> {
  const [column, value] = lookupOf(reference);
  const [row] = await sqlIn(tx)<{ wallet: string }>(
    `select wallet from agent where ${column} = $1 union select wallet from hidden_profile where wallet = $1`,
    [value],
  );
  if (row === undefined) throw new AppError('AGENT_NOT_FOUND');
  return { agent: row.wallet, id: row.wallet };
}

const hides: Readonly<Record<ModerationTarget, Act>> = {
  post: async (tx, { id }) => {
    // undefined: the post itself was hidden before. false: it was hidden with all texts of its author, so no feed loses it now.
    const wasVisible = await hidePost(tx, id);
    return { changed: wasVisible !== undefined, gone: wasVisible ? [id] : [] };
  },
  avatar: async (tx, { agent: wallet, shown }, now) => ({
    changed: await hidePart(tx, { wallet, part: 'avatar', shown }, now),
  }),
  texts: async (tx, { agent: wallet }, now) => {
    const changed = await hidePart(tx, { wallet, part: 'texts', shown: null }, now);
    await setThesesHidden(tx, wallet, true);
    return { changed, gone: await setPostsHidden(tx, wallet, true) };
  },
};

const restores: Readonly<Record<ModerationTarget, Act>> = {
  post: async (tx, { id, agent }) => {
    const textsHidden = (await hiddenParts(sqlIn(tx), agent)).includes('texts');
    const changed = await restorePost(tx, id, textsHidden);
    return { changed, back: changed && !textsHidden ? [id] : [] };
  },
  avatar: async (tx, { agent }) => ({ changed: await restorePart(tx, agent, 'avatar') }),
  texts: async (tx, { agent }) => {
    const changed = await restorePart(tx, agent, 'texts');
    await setThesesHidden(tx, agent, false);
    return { changed, back: await setPostsHidden(tx, agent, false) };
  },
};

const verbs = { hide: 'has hidden', restore: 'has restored', 'rename-avatar': 'has replaced' } as const;

function noticeOf({ action, target, subject, agent, reason }: Omit<Moderation, 'id'>, id: number) {
  return {
    recipient: agent,
    type: 'MODERATED' as const,
    actor: agent,
    subject: `moderation:${id}`,
    message: `The operator ${verbs[action]} your ${target}: ${reason}`,
    data: { action, target, reason, ...(target === 'post' ? { postId: subject } : {}) },
  };
}

/** The newest actions of operators, newest first. */
export const moderationRecord = (deps: Pick<Deps, 'sql'>, limit: number): Promise<Moderation[]> =>
  deps.sql<Moderation>(
    `select id, action, target, subject, agent, avatar_url as "avatarUrl", operator, reason, created_at as "createdAt"
     from moderation order by id desc limit $1`,
    [limit],
  );
