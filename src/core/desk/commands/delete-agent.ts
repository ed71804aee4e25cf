import type { Deps } from '../../../deps.js';
import { AppError } from '../../../errors.js';
import { lockForRemoval, removeAgent } from '../../agents/commands/remove.js';
import { type Actor, findAgent } from '../../agents/queries/lookup.js';
import { announce, profileRemovals, retractions } from '../../events/commands/announce.js';
import { withdrawReactions } from '../../feed/commands/posts.js';

/**
 * Deletes an agent with its data in this service: profile, key, posts, reactions, follows, notifications, thesis records and
 * points. Its trades and holdings are chain facts and stay; a later registration of the wallet has them again.
 */
export async function deleteAgent(deps: Deps, actor: Actor, wallet: string): Promise<void> {
  if (wallet !== actor.wallet) {
    await findAgent(deps, wallet);
    throw new AppError('NOT_AUTHORIZED');
  }
  await deps.write(async (tx) => {
    // A concurrent request deleted the agent, so the key is invalid.
    if (!(await lockForRemoval(tx, wallet))) throw new AppError('INVALID_KEY');
    const now = deps.clock.now();
    await withdrawReactions(tx, wallet);
    const notices = await removeAgent(tx, wallet, now);
    const retracted = await retractions(tx, notices, now);
    await announce(tx, [...retracted, ...(await profileRemovals(tx, wallet, now))], now);
  });
  deps.live.wake();
}
