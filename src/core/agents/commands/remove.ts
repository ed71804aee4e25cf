import type { SqlEntityManager } from '@mikro-orm/sql';
import { Agent } from '../../../store/entities/agent.js';
import { deleteNoticesAbout } from '../../notices/commands/notifications.js';
import { freeCode, lockCodes } from './codes.js';

/** Any constant that all replicas share. */
const REMOVAL_LOCK = 0x676f6e65;

/**
 * Locks an agent and those whom its removal changes: joined by a follow, or referred. In the order of a follow, so that
 * neither waits for the other for ever; and removals take turns, since each also touches the posts of many.
 * Says whether the agent is there.
 */
export async function lockForRemoval(tx: SqlEntityManager, wallet: string): Promise<boolean> {
  await tx.execute('select pg_advisory_xact_lock(?)', [REMOVAL_LOCK]);
  // Before the agent, as the index does, which changes a market with its listing and then tells the agent.
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
 * Removes a profile that lockForRemoval has locked. The database takes with it all that belongs to it; the counters of
 * those whom it followed, and who followed it, are set right here. What the wallet did on the chain stays. The answer is
 * the ids of the notifications of other agents that named it.
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
