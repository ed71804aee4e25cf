import { createHash, randomBytes } from 'node:crypto';
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { Deps } from '../../../deps.js';
import { AppError, type ErrorCode } from '../../../errors.js';
import type { Spend } from '../../../limits/limits.js';
import { Agent } from '../../../store/entities/Agent.js';
import { SignedWallet } from '../../../store/entities/SignedWallet.js';
import { UsedSignature } from '../../../store/entities/UsedSignature.js';
import { type Sql, sqlIn } from '../../../store/sql.js';
import { violatedConstraint } from '../../../store/violation.js';
import { announce, awaitTurn, farewells, type News, retractions } from '../../live/commands.js';
import { hashIp, hashKey } from '../keys.js';
import { agentIdOf, checkAbout, checkAvatarUrl, checkName, isReserved } from '../rules.js';
import { checkSignature, checkSignatureAge, expiryOf, type Registration, registrationMessage } from '../signature.js';
import { checkOnChain } from './chain-name.js';
import { issueCode } from './codes.js';
import { referrerOf } from './referrer.js';
import { type Forget, lockForRemoval, removeAgent } from './remove.js';

export type RegistrationInput = {
  readonly name: string;
  readonly walletAddress: string;
  readonly txHash?: string | undefined;
  readonly description?: string | undefined;
  readonly avatarUrl?: string | undefined;
  readonly referredBy?: string | undefined;
  readonly signature?: string | undefined;
  /** The time in the message that was signed. */
  readonly signedAt?: Date | undefined;
};

/** A registration is answered with what is never shown again: the key. */
export type Registered = {
  readonly wallet: string;
  readonly name: string;
  readonly agentId: string;
  readonly apiKey: string;
  readonly verificationCode: string;
  readonly claimUrl: string;
  readonly createdAt: Date;
};

const KEY_BYTES = 48;

/** Gives a wallet that registered on the chain its profile here. `ip` is what the limits count the client by. */
export async function register(
  deps: Deps,
  input: RegistrationInput,
  ip: string,
  forget: Forget,
  spend: Spend,
): Promise<Registered> {
  const { name, walletAddress: wallet } = input;
  checkName(name);
  const agentId = agentIdOf(name);
  if (isReserved(agentId)) throw new AppError('AGENT_ID_RESERVED');
  const avatarUrl = input.avatarUrl ? checkAvatarUrl(input.avatarUrl) : null;
  const description = checkAbout('description', input.description ?? '');
  const signed = isSigned(deps, input);
  const registrationIp = hashIp(deps.secretKey, ip);
  const referredBy =
    input.referredBy === undefined ? null : await referrerOf(deps, { agentId, registrationIp }, input.referredBy);
  const displaced = await checkFree(deps, wallet, agentId, signed);
  // Before the chain is asked, and again at the insert.
  if (!signed) await refuseUnsigned(deps.sql, wallet);
  await spend();
  await checkOnChain(deps, wallet, name, input.txHash);

  const now = deps.clock.now();
  const apiKey = randomBytes(KEY_BYTES).toString('base64url');
  const verificationCode = await deps.em
    .fork()
    .transactional(async (tx) => {
      const replaced = signed ? await replace(tx, { wallet, signed: false }, forget, now) : null;
      const ousted = displaced ? await replace(tx, { wallet: displaced, agentId }, forget, now) : null;
      const code = await issueCode(deps, tx, { wallet, reuse: replaced === null, now });
      await tx.insert(Agent, {
        wallet,
        name,
        agentId,
        apiKeyHash: hashKey(apiKey),
        verificationCode: code,
        description,
        avatarUrl,
        referredBy,
        referredAt: referredBy === null ? null : now,
        registrationIp,
        signed,
        createdAt: now,
      });
      if (signed && input.signedAt) await useSignature(tx, messageOf(deps, wallet, input.signedAt), now);
      // After the insert, which waits for another registration or a deletion of the same wallet: what it stored is visible.
      if (!signed) await refuseUnsigned(sqlIn(tx), wallet);
      const gone: News[] = [];
      for (const left of [replaced, ousted]) {
        if (left === null) continue;
        gone.push(...(await retractions(tx, left.notices, now)), ...(await farewells(tx, left.wallet, now)));
      }
      await announce(tx, [...gone, ...(await shownRegistration(tx, wallet))], now);
      return code;
    })
    .catch(refused);
  deps.live.wake();
  const claimUrl = `${deps.publicUrl}/claim/${verificationCode}`;
  return { wallet, name, agentId, apiKey, verificationCode, claimUrl, createdAt: now };
}

/** Whether the wallet's owner asks, not just somebody who watched the chain. */
function isSigned(deps: Deps, { walletAddress: wallet, signature, signedAt }: RegistrationInput): boolean {
  if (signature === undefined) {
    if (deps.config.REGISTRATION_SIGNATURE === 'optional') return false;
    throw new AppError('SIGNATURE_REQUIRED', { why: 'this service requires it' });
  }
  if (signedAt === undefined) throw new AppError('MISSING_FIELD', { field: 'signedAt' });
  checkSignatureAge(signedAt, deps.clock.now());
  checkSignature(messageOf(deps, wallet, signedAt), signature);
  return true;
}

const messageOf = (deps: Deps, wallet: string, time: Date): Registration => ({
  service: deps.publicUrl,
  chainId: deps.market.chainId,
  wallet,
  time,
});

/**
 * A wallet that registered with a signature once has an owner who can sign. A registration without one may be a stranger's,
 * also after the agent was deleted.
 */
async function refuseUnsigned(sql: Sql, wallet: string): Promise<void> {
  const [signed] = await sql('select from signed_wallet where wallet = $1', [wallet]);
  if (signed) throw new AppError('SIGNATURE_REQUIRED', { why: 'this wallet has registered with a signature before' });
}

/** Each message serves once: whoever saw it must not register the wallet again after its agent is deleted. */
async function useSignature(tx: SqlEntityManager, message: Registration, now: Date): Promise<void> {
  await tx.nativeDelete(UsedSignature, { expiresAt: { $lt: now } });
  const digest = createHash('sha256').update(registrationMessage(message)).digest();
  await tx.insert(UsedSignature, { digest, expiresAt: expiryOf(message.time) });
  await tx.upsert(SignedWallet, { wallet: message.wallet }, { onConflictAction: 'ignore' });
}

/**
 * Before the chain is asked: whoever is registered already need not wait for it. The database decides at the insert.
 * Gives the wallet of an agent that has lost its agentId to this one: a reorganisation took back its registration, and
 * on the chain, as far as it is indexed, the agentId is now this wallet's.
 */
async function checkFree(deps: Deps, wallet: string, agentId: string, signed: boolean): Promise<string | undefined> {
  const rows = await deps.sql<{ wallet: string; signed: boolean; lost: boolean }>(
    `select wallet, signed, agent_id = $2 and exists (
       select from market where market.agent_id = $2 and market.wallet = $1
     ) as lost
     from agent where wallet = $1 or agent_id = $2`,
    [wallet, agentId],
  );
  const replaceable = (row: { wallet: string; signed: boolean; lost: boolean }) =>
    row.wallet === wallet ? signed && !row.signed : row.lost;
  const standing = rows.filter((row) => !replaceable(row));
  const [other] = standing;
  const own = standing.find((row) => row.wallet === wallet);
  if (own) throw new AppError('AGENT_EXISTS', {}, own.signed ? { advice: 'REGISTERED_SIGNED' } : {});
  if (other) throw new AppError('AGENT_EXISTS', { ownedBy: other.wallet }, { advice: 'AGENT_ID_OF_ANOTHER' });
  return rows.find((row) => row.wallet !== wallet)?.wallet;
}

/**
 * Removes a profile that has to give way, and all that came to belong to it: one that somebody made without the
 * wallet's signature, or whose registration is no longer on the chain.
 */
async function replace(
  tx: SqlEntityManager,
  which: { readonly wallet: string; readonly signed?: boolean; readonly agentId?: string },
  forget: Forget,
  now: Date,
): Promise<{ readonly wallet: string; readonly notices: readonly string[] } | null> {
  await lockForRemoval(tx, which.wallet);
  if ((await tx.count(Agent, which)) === 0) return null;
  await forget(tx, which.wallet);
  return { wallet: which.wallet, notices: await removeAgent(tx, which.wallet, now) };
}

/** From now on the feed shows it, if it is indexed; else the index tells of it. */
async function shownRegistration(tx: SqlEntityManager, wallet: string): Promise<News[]> {
  await awaitTurn(tx);
  const rows = await sqlIn(tx)<{ id: string; supply: number | string }>(
    'select event_id as id, supply from market where wallet = $1',
    [wallet],
  );
  return rows.map(({ id, supply }) => ({
    topic: 'registration',
    subject: id,
    agent: wallet,
    supply: Number(supply),
  }));
}

const refusals: Readonly<Record<string, ErrorCode>> = {
  agent_pkey: 'AGENT_EXISTS',
  agent_agent_id_unique: 'AGENT_EXISTS',
  used_signature_pkey: 'SIGNATURE_INVALID',
  agent_referred_by_foreign: 'REFERRER_NOT_CLAIMED',
};

/** What another request did between the checks and the insert. */
function refused(error: unknown): never {
  const code = refusals[violatedConstraint(error) ?? ''];
  throw code === undefined ? error : new AppError(code, {}, { cause: error });
}
