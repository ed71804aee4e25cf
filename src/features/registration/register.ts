import type { SqlEntityManager } from '@mikro-orm/sql';
import type { Deps } from '../../deps.js';
import { AppError } from '../../errors.js';
import { type Actor, hashIp, hashKey, newKey } from '../../keys.js';
import type { Spend } from '../../limits/limits.js';
import { announce, lockLiveCursor, type News, profileRemovals, retractions } from '../../live/announce.js';
import { sqlIn } from '../../store/sql.js';
import { checkOnChain } from './chain-name.js';
import { issueCode } from '../claims/codes.js';
import { referrerOf } from '../agents/referrer.js';
import { throwRefusal } from '../agents/refusals.js';
import {
  checkFree,
  insertAgent,
  isSigned,
  type RegistrationInput,
  refuseUnsigned,
} from './registration.js';
import { lockForRemoval, type RemovedAgent, removeAgent } from './remove.js';
import { agentIdOf, checkAbout, checkAvatarUrl, checkName, isReserved } from '../agents/rules.js';
import { withdrawReactions } from '../feed/posts.js';

/** Answer to a registration. The key is shown only here. */
export type Registered = Actor & {
  readonly apiKey: string;
  readonly verificationCode: string;
  readonly claimUrl: string;
  readonly createdAt: Date;
};

/** Creates the profile of a wallet that registered on the chain. `ip` is the address that rate limits use for the client. */
export async function register(deps: Deps, input: RegistrationInput, ip: string, spend: Spend): Promise<Registered> {
  const { name, walletAddress: wallet } = input;
  checkName(name);
  const agentId = agentIdOf(name);
  if (isReserved(agentId)) throw new AppError('AGENT_ID_RESERVED');
  const avatarUrl = input.avatarUrl ? checkAvatarUrl(input.avatarUrl) : null;
  const description = checkAbout('description', input.description ?? '');
  const signed = await isSigned(deps, input, spend);
  const registrationIp = hashIp(deps.secretKey, ip);
  const referredBy =
    input.referredBy === undefined ? null : await referrerOf(deps, { agentId, registrationIp }, input.referredBy);
  const displaced = await checkFree(deps, { wallet, agentId, signed });
  // Refuses an unsigned registration before the chain is asked. The insert repeats this check.
  if (!signed) await refuseUnsigned(deps.sql, wallet);
  await spend();
  await checkOnChain(deps, wallet, name, input.txHash);

  const now = deps.clock.now();
  const apiKey = newKey();
  const save = async (tx: SqlEntityManager): Promise<Registered> => {
    const replaced = signed ? await removeReplaceable(tx, { wallet, signed: false }, now) : null;
    const displacedAgent = displaced ? await removeReplaceable(tx, { wallet: displaced, agentId }, now) : null;
    const verificationCode = await issueCode(deps, tx, { wallet, reuse: replaced === null, now });
    const profile = { wallet, name, agentId, description, avatarUrl, referredBy, registrationIp, signed };
    const agent = { ...profile, apiKeyHash: hashKey(apiKey), verificationCode };
    await insertAgent(deps, tx, agent, { signedAt: input.signedAt, now });
    const removals: News[] = [];
    for (const removed of [replaced, displacedAgent]) {
      if (removed === null) continue;
      removals.push(
        ...(await retractions(tx, removed.notices, now)),
        ...(await profileRemovals(tx, removed.wallet, now)),
      );
    }
    await announce(tx, [...removals, ...(await registrationEvent(tx, wallet))], now);
    const claimUrl = `${deps.publicUrl}/claim/${verificationCode}`;
    return { wallet, name, agentId, apiKey, verificationCode, claimUrl, createdAt: now };
  };
  const registered = await deps.write(save, { effect: true }).catch(throwRefusal);
  deps.live.wake();
  return registered;
}

/**
 * Deletes a profile that the registration replaces: an unsigned one of the same wallet, or one with the same agentId whose
 * registration on the chain was removed by a reorg.
 */
async function removeReplaceable(
  tx: SqlEntityManager,
  which: RemovedAgent,
  now: Date,
): Promise<{ readonly wallet: string; readonly notices: readonly string[] } | null> {
  if (!(await lockForRemoval(tx, which))) return null;
  await withdrawReactions(tx, which.wallet);
  return { wallet: which.wallet, notices: await removeAgent(tx, which.wallet, now) };
}

/** Event for a registration that is already indexed. Otherwise the indexer announces it. */
async function registrationEvent(tx: SqlEntityManager, wallet: string): Promise<News[]> {
  await lockLiveCursor(tx);
  return sqlIn(tx)(
    `select 'registration' as topic, event_id as subject, wallet as agent, supply from market where wallet = $1`,
    [wallet],
  );
}
