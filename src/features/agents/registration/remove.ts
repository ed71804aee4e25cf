import type { SqlEntityManager } from '@mikro-orm/sql';
import { AppError } from '../../../errors/errors.js';
import { KeyEnded } from '../../../keys.js';
import { announce, type News, profileRemovals, retractions } from '../../../live/announce.js';
import { deleteNoticesAbout } from '../../../live/notices.js';
import { sqlIn } from '../../../store/sql.js';
import type { UseCase } from '../../../use-case.js';
import { freeCode, lockCodes } from '../../claims/codes.js';
import { withdrawReactions } from '../../feed/posts.js';
import { forgetRegistration } from '../../seasons/links/links.js';
import { Agent } from '../entities.js';
import { dropOriginals } from '../hidden-profile.js';
import { rememberKey } from '../keys/former-keys.js';
import { findAgent } from '../lookup.js';

/** Key of the advisory lock. The number is arbitrary, but all replicas must use the same number. */
const REMOVAL_LOCK = 0x676f6e65;

/** An agent to remove. It is removed only if it has all given properties. */
export type RemovedAgent = {
  readonly wallet: string;
  readonly signed?: boolean;
  readonly agentId?: string;
  readonly apiKeyHash?: Buffer;
};

/**
 * Serialises transactions that update posts of several agents, or many posts of one agent. Such transactions lock posts
 * in different orders, and could deadlock otherwise.
 */
export async function lockManyPosts(tx: SqlEntityManager): Promise<void> {
  await sqlIn(tx)('select pg_advisory_xact_lock($1)', [REMOVAL_LOCK]);
}

/**
 * Locks an agent and all agents that its removal changes: its followers, those that it follows and those that it referred. Locking
 * in the order of wallets prevents deadlocks with follows. `lockManyPosts` serialises removals, because each touches many posts.
 * Returns whether the agent exists and has the given properties.
 */
export async function lockForRemoval(tx: SqlEntityManager, which: RemovedAgent): Promise<boolean> {
  const { wallet } = which;
  const sql = sqlIn(tx);
  await lockManyPosts(tx);
  // Locks the listing before the agent, in the same order as the index, so that they cannot deadlock. The index first updates a
  // market with its listing, and then locks agents to store notifications.
  await sql('select from listing where wallet = $1 for update', [wallet]);
  await lockCodes(tx, wallet);
  await sql(
    `select from agent where wallet = $1 or referred_by = $1
       or wallet in (select followed from agent_follow where follower = $1 and removed_at is null)
       or wallet in (select follower from agent_follow where followed = $1 and removed_at is null)
     order by wallet for update`,
    [wallet],
  );
  return (await tx.count(Agent, which)) > 0;
}

/** An agent that was deleted, and the ids of the notifications of other agents that named it. */
type Removed = { readonly wallet: string; readonly notices: readonly string[] };

/**
 * Deletes a profile that `lockForRemoval` has locked. Foreign keys delete the rows that belong to it. The counters of other agents
 * and of their posts are updated here. Trades and tickets stay, because they are on the chain.
 */
export async function removeAgent(tx: SqlEntityManager, wallet: string, now: Date): Promise<Removed> {
  await withdrawReactions(tx, wallet);
  await freeCode(tx, wallet, now);
  const sql = sqlIn(tx);
  await sql(
    `update agent set follower_count = follower_count - 1
     where wallet in (select followed from agent_follow where follower = $1 and removed_at is null)`,
    [wallet],
  );
  await sql(
    `update agent set following_count = following_count - 1
     where wallet in (select follower from agent_follow where followed = $1 and removed_at is null)`,
    [wallet],
  );
  const notices = await deleteNoticesAbout(tx, wallet);
  await dropOriginals(tx, wallet, { description: null, bio: null, avatarUrl: null });
  await rememberKey(tx, wallet, now);
  await forgetRegistration(sql, wallet);
  await tx.nativeDelete(Agent, { wallet });
  return { wallet, notices };
}

/** The live events that tell subscribers about a deletion. */
export const removalNews = async (tx: SqlEntityManager, { wallet, notices }: Removed, now: Date): Promise<News[]> => [
  ...(await retractions(tx, notices, now)),
  ...(await profileRemovals(tx, wallet, now)),
];

type Deleted = { readonly deleted: true; readonly walletAddress: string };

/**
 * Deletes an agent with its data in this service: profile, key, posts, reactions, follows, notifications, theses and points. Its trades
 * and holdings are on the chain and stay, and so do its calls with their outcomes, which have no text. If the wallet registers again,
 * they belong to the new agent.
 */
export const deleteAgent: UseCase<'required', { readonly address: string }, string, Deleted> = {
  async prepare({ deps, actor }, { address }) {
    if (address === actor.wallet) return address;
    await findAgent(deps, address);
    throw new AppError('NOT_AUTHORIZED');
  },
  async effect(tx, wallet, { deps, actor }) {
    const apiKeyHash = Buffer.from(actor.keyHash, 'hex');
    // A concurrent request may have deleted the agent, or replaced its key.
    if (!(await lockForRemoval(tx, { wallet, apiKeyHash }))) throw new KeyEnded();
    const now = deps.clock.now();
    const removed = await removeAgent(tx, wallet, now);
    await announce(tx, await removalNews(tx, removed, now), now);
    return { deleted: true, walletAddress: wallet };
  },
  after: ({ deps }) => deps.live.wake(),
};
