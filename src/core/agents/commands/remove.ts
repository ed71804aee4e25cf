import type { SqlEntityManager } from '@mikro-orm/sql';
import { Agent } from '../../../store/entities/agent.js';
import { deleteNoticesAbout } from '../../notices/commands/notifications.js';
import { freeCode, lockCodes } from './codes.js';

/** Key of the advisory lock. Any constant that all replicas share. */
const REMOVAL_LOCK = 0x676f6e65;

/**
 * Locks an agent and the agents that its removal changes: those joined by a follow and those it referred. The order of
 * wallets prevents deadlocks with follows. An advisory lock serialises removals, because each touches many posts. Returns
 * whether the agent exists.
 */
export async function lockForRemoval(tx: SqlEntityManager, wallet: string): Promise<boolean> {
  await tx.execute('select pg_advisory_xact_lock(?)', [REMOVAL_LOCK]);
  // Listing before agent, as in the index, which updates the market and its listing and then stores notifications.
  await tx.execute('select from listing where wallet = ? for update', [wallet]);
  await lockCodes(tx, wallet);
  const locked = await tx.execute<{ wallet: string }[]>(
    `select wallet from agent where wallet = ? or referred_by = ?
       or wallet in (select followed from agent_follow where follower = ? and removed_at is null)
       or wallet in (select follower from agent_follow where followed = ? and removed_at is null)
     order by wallet for update`,
    [wallet, wallet, wallet, wallet],
  );
  return locked.some((agent) => agent.wallet === wallet);
}

type AgentCondition = { readonly wallet: string; readonly signed?: boolean; readonly agentId?: string };

export const agentExists = async (tx: SqlEntityManager, which: AgentCondition): Promise<boolean> =>
  (await tx.count(Agent, which)) > 0;

/**
 * Deletes a profile that lockForRemoval has locked. Foreign keys delete its rows; the follow counters of other agents are
 * updated here. Chain facts stay. Returns the ids of other agents' notifications that named it.
 */
export async function removeAgent(tx: SqlEntityManager, wallet: string, now: Date): Promise<string[]> {
  await freeCode(tx, wallet, now);
  await tx.execute(
    `update agent set follower_count = follower_count - 1
     where wallet in (select followed from agent_follow where follower = ? and removed_at is null)`,
    [wallet],
    'run',
  );
  await tx.execute(
    `update agent set following_count = following_count - 1
     where wallet in (select follower from agent_follow where followed = ? and removed_at is null)`,
    [wallet],
    'run',
  );
  const notices = await deleteNoticesAbout(tx, wallet);
  await tx.nativeDelete(Agent, { wallet });
  return notices;
}
