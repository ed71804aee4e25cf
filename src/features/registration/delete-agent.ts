import type { SqlEntityManager } from '@mikro-orm/sql';
import type { Deps } from '../../deps.js';
import { AppError } from '../../errors.js';
import type { AuthenticatedAgent } from '../../keys.js';
import { announce, profileRemovals, retractions } from '../../live/announce.js';
import { lockForRemoval, removeAgent } from './remove.js';
import { findAgent } from '../agents/lookup.js';
import { withdrawReactions } from '../feed/posts.js';

/**
 * Deletes an agent with its data in this service: profile, key, posts, reactions, follows, notifications, thesis records and
 * points. Its trades and holdings are chain facts and stay; a later registration of the wallet has them again.
 */
export async function deleteAgent(deps: Deps, actor: AuthenticatedAgent, wallet: string): Promise<void> {
  if (wallet !== actor.wallet) {
    await findAgent(deps, wallet);
    throw new AppError('NOT_AUTHORIZED');
  }
  const apiKeyHash = Buffer.from(actor.keyHash, 'hex');
  const remove = async (tx: SqlEntityManager): Promise<void> => {
    // A concurrent request may have deleted the agent, or replaced its key.
    if (!(await lockForRemoval(tx, { wallet, apiKeyHash }))) throw new AppError('INVALID_KEY');
    const now = deps.clock.now();
    await withdrawReactions(tx, wallet);
    const notices = await removeAgent(tx, wallet, now);
    const retracted = await retractions(tx, notices, now);
    await announce(tx, [...retracted, ...(await profileRemovals(tx, wallet, now))], now);
  };
  await deps.write(remove, { effect: true });
  deps.live.wake();
}
