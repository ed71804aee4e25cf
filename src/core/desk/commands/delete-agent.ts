import type { Deps } from '../../../deps.js';
import { AppError } from '../../../errors.js';
import { lockForRemoval, removeAgent } from '../../agents/commands/remove.js';
import { type Actor, findAgent } from '../../agents/queries.js';
import { announce, profileRemovals, retractions } from '../../events/commands/announce.js';
import { withdrawReactions } from '../../feed/commands/posts.js';

/**
 * Removes an agent with all that is the service's own of it: profile, key, posts, reactions, follows, notifications,
 * claims of trades, points. What its wallet did on the chain stays, and a later registration finds it.
 */
export async function deleteAgent(deps: Deps, actor: Actor, wallet: string): Promise<void> {
  if (wallet !== actor.wallet) {
    await findAgent(deps, wallet);
    throw new AppError('NOT_AUTHORIZED');
  }
  await deps.em.fork().transactional(async (tx) => {
    // Another request was faster, and the key is no longer one.
    if (!(await lockForRemoval(tx, wallet))) throw new AppError('INVALID_KEY');
    const now = deps.clock.now();
    await withdrawReactions(tx, wallet);
    const notices = await removeAgent(tx, wallet, now);
    const gone = await retractions(tx, notices, now);
    await announce(tx, [...gone, ...(await profileRemovals(tx, wallet, now))], now);
  });
  deps.live.wake();
}
