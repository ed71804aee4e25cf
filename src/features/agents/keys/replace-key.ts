import { LockMode } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { Deps } from '../../../deps.js';
import { AppError } from '../../../errors/errors.js';
import { hashKey, newKey } from '../../../keys.js';
import { RateLimited } from '../../../limits/limits.js';
import { announce } from '../../../live/announce.js';
import { storeNotices } from '../../../live/notices.js';
import type { UseCase } from '../../../use-case.js';
import { DAY_MS } from '../../../values/time.js';
import { Agent } from '../entities.js';
import { findAgent } from '../lookup.js';
import { KeyReplacement } from './entities.js';
import { rememberKey } from './former-keys.js';
import { checkNonce, keyReplacementLimit, keyReplacementMessage, type SignedFacts } from './rules.js';
import { checkSignature, signedFacts } from './wallet-signature.js';

type KeyReplacementInput = {
  readonly walletAddress: string;
  readonly signature: string;
  /** Time in the signed text. */
  readonly signedAt: Date;
  /** Text that the signer chooses. A wallet can use it once. */
  readonly nonce: string;
};

type Signer = { readonly wallet: string; readonly nonce: string };

type NewKey = { readonly wallet: string; readonly name: string; readonly agentId: string; readonly apiKey: string };

/**
 * Gives an agent a new API key, which its wallet has requested with a signature. The old key is invalid from the commit. The new
 * key is shown only in the answer.
 */
export const replaceKey: UseCase<'none', KeyReplacementInput, Signer, NewKey> = {
  async prepare({ deps }, { walletAddress: wallet, signature, signedAt, nonce }) {
    checkNonce(nonce);
    await findAgent(deps, wallet);
    const facts = signedFacts(deps, wallet, signedAt);
    const textOf = (named: SignedFacts) => keyReplacementMessage({ ...named, nonce });
    await checkSignature(deps, { facts, textOf, signature, refusal: 'KEY_SIGNATURE_INVALID' });
    return { wallet, nonce };
  },
  async effect(tx, { wallet, nonce }, { deps }) {
    const now = deps.clock.now();
    const apiKey = newKey();
    // The row lock makes other replacements of the key, and the deletion of the agent, wait for this transaction.
    const agent = await tx.findOne(Agent, { wallet }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (agent === null) throw new AppError('AGENT_NOT_FOUND');
    await useNonce(deps, tx, { wallet, nonce, createdAt: now });
    await rememberKey(tx, wallet, now);
    agent.apiKeyHash = hashKey(apiKey);
    await tx.flush();
    const notice = {
      recipient: wallet,
      type: 'KEY_REPLACED' as const,
      actor: wallet,
      subject: nonce,
      data: {},
      message: 'Your API key was replaced with a signature of your wallet',
    };
    const notices = await storeNotices(tx, [notice], now);
    // The event `profile` comes first: it ends the subscriptions of the old key before they can get the notification.
    await announce(tx, [{ topic: 'profile', subject: null, agent: wallet }, ...notices], now);
    return { wallet, name: agent.name, agentId: agent.agentId, apiKey };
  },
  after: ({ deps }) => deps.live.wake(),
};

/** Stores a nonce for a day. Refuses a nonce that the wallet has used in that time, and more replacements than the limit allows. */
async function useNonce(deps: Deps, tx: SqlEntityManager, used: KeyReplacement): Promise<void> {
  const { wallet, nonce, createdAt: now } = used;
  await tx.nativeDelete(KeyReplacement, { createdAt: { $lte: new Date(now.getTime() - DAY_MS) } });
  const recent = await tx.find(KeyReplacement, { wallet }, { orderBy: { createdAt: 'asc' }, disableIdentityMap: true });
  if (recent.some((replacement) => replacement.nonce === nonce)) throw new AppError('NONCE_USED');
  // The oldest of the last `max` replacements: as long as it is younger than a day, the limit is reached.
  const blocking = recent.at(-keyReplacementLimit.max);
  if (blocking && deps.config.RATE_LIMITS === 'on') {
    const seconds = Math.ceil((blocking.createdAt.getTime() + DAY_MS - now.getTime()) / 1000);
    const window = { ...keyReplacementLimit, remaining: 0, resetSeconds: seconds, waitSeconds: seconds };
    throw new RateLimited({ retryAfter: seconds, windows: [window] }, now);
  }
  await tx.insert(KeyReplacement, used);
}
