import { createHash } from 'node:crypto';
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { TransactionReceipt } from 'ethers';
import { factsOfReceipt } from '../../../chain/logs/facts.js';
import type { Deps } from '../../../deps.js';
import { AppError } from '../../../errors/errors.js';
import { hashIp, hashKey, newKey } from '../../../keys.js';
import { announce, lockLiveCursor, type News } from '../../../live/announce.js';
import { type Sql, sqlIn } from '../../../store/sql.js';
import type { Ctx, UseCase } from '../../../use-case.js';
import { issueCode } from '../../claims/codes.js';
import { Agent } from '../entities.js';
import { refuseHidden } from '../hidden-profile.js';
import { expiryOf, registrationMessage, type SignedFacts, serviceNames } from '../keys/rules.js';
import { checkSignature, signedFacts } from '../keys/wallet-signature.js';
import { referrerOf } from '../lookup.js';
import { throwRefusal } from '../refusals.js';
import { agentIdOf, checkAbout, checkAvatarUrl, checkName, isReserved } from '../rules.js';
import { SignedWallet, UsedSignature } from './entities.js';
import { lockForRemoval, type RemovedAgent, removalNews, removeAgent } from './remove.js';

/**
 * A registration that has passed all checks. `displaced` is the wallet of an agent to remove: a reorg gave its agentId to the new
 * wallet, see `checkFree`.
 */
type Checked = {
  readonly wallet: string;
  readonly name: string;
  readonly agentId: string;
  readonly description: string | null;
  readonly avatarUrl: string | null;
  readonly referredBy: string | null;
  readonly registrationIp: Buffer;
  readonly signed: boolean;
  readonly signedAt: Date | undefined;
  readonly displaced: string | undefined;
};

type Registered = {
  readonly wallet: string;
  readonly name: string;
  readonly agentId: string;
  readonly apiKey: string;
  readonly verificationCode: string;
  readonly claimUrl: string;
  readonly createdAt: Date;
};

/** Creates the profile of a wallet that registered on the chain. The key is shown only in the answer. */
export const register: UseCase<'none', RegistrationInput, Checked, Registered> = {
  async prepare({ deps, ip, count }, input) {
    const { name, walletAddress: wallet } = input;
    checkName(name);
    const agentId = agentIdOf(name);
    if (isReserved(agentId)) throw new AppError('AGENT_ID_RESERVED');
    const avatarUrl = input.avatarUrl ? checkAvatarUrl(input.avatarUrl) : null;
    const description = checkAbout('description', input.description ?? '');
    const signed = await isSigned(deps, input, count);
    const registrationIp = hashIp(deps.secretKey, ip);
    const referredBy =
      input.referredBy === undefined ? null : await referrerOf(deps, { agentId, registrationIp }, input.referredBy);
    const displaced = await checkFree(deps, { wallet, agentId, signed });
    // Refuses an unsigned registration before the chain is asked. `effect` repeats this check after the insert.
    if (!signed) await refuseUnsigned(deps.sql, wallet);
    await count();
    await checkOnChain(deps, wallet, name, input.txHash);
    const profile = { wallet, name, agentId, description, avatarUrl, referredBy, registrationIp, signed };
    return { ...profile, signedAt: input.signedAt, displaced };
  },
  async effect(tx, { signedAt, displaced, ...profile }, { deps }) {
    const { wallet, name, agentId, signed } = profile;
    const now = deps.clock.now();
    const apiKey = newKey();
    const replaced = signed ? await removeReplaceable(tx, { wallet, signed: false }, now) : null;
    const displacedAgent = displaced ? await removeReplaceable(tx, { wallet: displaced, agentId }, now) : null;
    const verificationCode = await issueCode(deps, tx, { wallet, reuse: replaced === null, now });
    const referredAt = profile.referredBy === null ? null : now;
    const agent = { ...profile, apiKeyHash: hashKey(apiKey), verificationCode, referredAt, createdAt: now };
    await tx.insert(Agent, agent).catch(throwRefusal);
    if (signed && signedAt) await useSignature(tx, signedFacts(deps, wallet, signedAt), now).catch(throwRefusal);
    // Runs after the insert: the insert waits for a concurrent registration or deletion of the wallet, so this check sees
    // its result.
    if (!signed) await refuseUnsigned(sqlIn(tx), wallet);
    await refuseHidden(tx, wallet, { texts: [agent.description], avatar: agent.avatarUrl });
    const removals: News[] = [];
    for (const removed of [replaced, displacedAgent]) {
      if (removed) removals.push(...(await removalNews(tx, removed, now)));
    }
    await announce(tx, [...removals, ...(await registrationEvent(tx, wallet))], now);
    const claimUrl = `${deps.publicUrl}/claim/${verificationCode}`;
    return { wallet, name, agentId, apiKey, verificationCode, claimUrl, createdAt: now };
  },
  after: ({ deps }) => deps.live.wake(),
};

/**
 * Deletes a profile that the registration replaces: an unsigned profile of the same wallet, or a profile with the same agentId
 * whose registration on the chain was removed by a reorg.
 */
const removeReplaceable = async (tx: SqlEntityManager, which: RemovedAgent, now: Date) =>
  (await lockForRemoval(tx, which)) ? removeAgent(tx, which.wallet, now) : null;

/** The live event of the registration on the chain, if it is indexed already. Otherwise the indexer announces it later. */
async function registrationEvent(tx: SqlEntityManager, wallet: string): Promise<News[]> {
  await lockLiveCursor(tx);
  return sqlIn(tx)(`select 'registration' as topic, event_id as subject, wallet as agent, supply from market where wallet = $1`, [
    wallet,
  ]);
}

type RegistrationInput = {
  readonly name: string;
  readonly walletAddress: string;
  readonly txHash?: string | undefined;
  readonly description?: string | undefined;
  readonly avatarUrl?: string | undefined;
  readonly referredBy?: string | undefined;
  readonly signature?: string | undefined;
  /** Time in the signed text. */
  readonly signedAt?: Date | undefined;
};

/**
 * Whether the wallet signed the registration. An unsigned registration proves nothing: anyone who watches the chain can send it.
 * Calls `count` before it asks the chain whether a contract wallet accepts the signature.
 */
async function isSigned(
  deps: Deps,
  { walletAddress: wallet, signature, signedAt }: RegistrationInput,
  count: Ctx['count'],
): Promise<boolean> {
  if (signature === undefined) {
    if (deps.config.REGISTRATION_SIGNATURE === 'optional') return false;
    throw new AppError('SIGNATURE_REQUIRED', { why: 'this service requires it' });
  }
  if (signedAt === undefined) throw new AppError('MISSING_FIELD', { field: 'signedAt' });
  const facts = signedFacts(deps, wallet, signedAt);
  await checkSignature(deps, { facts, textOf: registrationMessage, signature, refusal: 'SIGNATURE_INVALID' }, count);
  return true;
}

/**
 * Refuses an unsigned registration of a wallet that once registered with a signature: its owner can sign, so the caller may be a
 * stranger. This also applies after the agent was deleted.
 */
async function refuseUnsigned(sql: Sql, wallet: string): Promise<void> {
  const [signed] = await sql('select from signed_wallet where wallet = $1', [wallet]);
  if (signed) throw new AppError('SIGNATURE_REQUIRED', { why: 'this wallet has registered with a signature before' });
}

/**
 * Marks a message as used. Otherwise anyone who saw the message could register the wallet again after its agent is deleted. A
 * service on loopback has several names. The digest always uses the first, so that the message counts as used under every name.
 */
async function useSignature(tx: SqlEntityManager, facts: SignedFacts, now: Date): Promise<void> {
  await tx.nativeDelete(UsedSignature, { expiresAt: { $lt: now } });
  const [service] = serviceNames(facts.service);
  const digest = createHash('sha256')
    .update(registrationMessage({ ...facts, service }))
    .digest();
  await tx.insert(UsedSignature, { digest, expiresAt: expiryOf(facts.time) });
  await tx.upsert(SignedWallet, { wallet: facts.wallet }, { onConflictAction: 'ignore' });
}

/**
 * Refuses a wallet or agentId that is taken, before the chain is asked; database constraints repeat the check at the insert.
 * Returns the wallet of an agent that lost the agentId to this wallet: a reorg removed its registration, and the index now
 * contains the registration of this wallet. undefined if there is no such agent.
 */
async function checkFree(
  deps: Deps,
  { wallet, agentId, signed }: { readonly wallet: string; readonly agentId: string; readonly signed: boolean },
): Promise<string | undefined> {
  const rows = await deps.sql<{ wallet: string; signed: boolean; lost: boolean }>(
    `select wallet, signed, agent_id = $2 and exists (
       select from market where market.agent_id = $2 and market.wallet = $1
     ) as lost
     from agent where wallet = $1 or agent_id = $2`,
    [wallet, agentId],
  );
  // A profile of the same wallet blocks, unless it is unsigned and the new registration is signed. The profile of another wallet
  // blocks, unless it has lost the agentId.
  const blocking = rows.filter((row) => (row.wallet === wallet ? !signed || row.signed : !row.lost));
  const [other] = blocking;
  const sameWallet = blocking.find((row) => row.wallet === wallet);
  if (sameWallet?.signed) {
    const isReplaceable = deps.config.KEY_REPLACEMENT === 'on';
    throw new AppError('AGENT_EXISTS', {}, { advice: isReplaceable ? 'KEY_REPLACEABLE' : 'REGISTERED_SIGNED' });
  }
  if (sameWallet) throw new AppError('AGENT_EXISTS');
  if (other) throw new AppError('AGENT_EXISTS', { ownedBy: other.wallet }, { advice: 'AGENT_ID_OF_ANOTHER' });
  return rows.find((row) => row.wallet !== wallet)?.wallet;
}

/**
 * Refuses a wallet that did not register this name on the chain. It reads the chain, so that an index that lags behind refuses
 * nobody. If `txHash` is given, that transaction must be the registration.
 */
async function checkOnChain({ chain }: Deps, wallet: string, name: string, txHash: string | undefined): Promise<void> {
  const receipt = txHash === undefined ? undefined : await chain.receipt(txHash);
  const registered = receipt === undefined ? (await chain.agent(wallet))?.name : nameIn(receipt, chain.contract, wallet);
  if (registered === name) return;
  const code = 'NOT_REGISTERED_ON_CHAIN';
  // A wallet can register only one name on the chain, so the error tells the caller this name.
  const onChainName = (await chain.agent(wallet))?.name;
  if (onChainName === name) throw new AppError(code, {}, { advice: 'OTHER_TRANSACTION' });
  if (onChainName !== undefined) {
    const advice = isReserved(agentIdOf(onChainName)) ? 'REGISTERED_AS_RESERVED' : 'REGISTERED_AS';
    throw new AppError(code, { onChainName }, { advice, details: { onChainName } });
  }
  const takenBy = await chain.agentOf(agentIdOf(name));
  if (takenBy !== null) throw new AppError(code, { takenBy }, { advice: 'NAME_TAKEN_ON_CHAIN', details: { takenBy } });
  throw new AppError(code, {}, receipt === null ? { advice: 'TRANSACTION_UNKNOWN' } : {});
}

/** The name that a wallet registered in the transaction of a receipt. undefined if the transaction has no such registration. */
function nameIn(receipt: TransactionReceipt | null, contract: string, wallet: string): string | undefined {
  return factsOfReceipt(receipt, contract)
    .filter((fact) => fact.kind === 'registered')
    .find((fact) => fact.agent === wallet)?.name;
}
