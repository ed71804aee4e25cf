import { createHash } from 'node:crypto';
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { Deps } from '../../../deps.js';
import { AppError, type ErrorCode } from '../../../errors.js';
import { Agent } from '../../../store/entities/agent.js';
import { SignedWallet } from '../../../store/entities/signed-wallet.js';
import { UsedSignature } from '../../../store/entities/used-signature.js';
import { type Sql, sqlIn } from '../../../store/sql.js';
import { violatedConstraint } from '../../../store/violation.js';
import { checkSignature, checkSignatureAge, expiryOf, type Registration, registrationMessage } from '../signature.js';

// Parts of a registration that write tables of this feature. core/desk composes them.

export type RegistrationInput = {
  readonly name: string;
  readonly walletAddress: string;
  readonly txHash?: string | undefined;
  readonly description?: string | undefined;
  readonly avatarUrl?: string | undefined;
  readonly referredBy?: string | undefined;
  readonly signature?: string | undefined;
  /** Time in the signed message. */
  readonly signedAt?: Date | undefined;
};

export type NewAgent = {
  readonly wallet: string;
  readonly name: string;
  readonly agentId: string;
  readonly apiKeyHash: Buffer;
  readonly verificationCode: string;
  readonly description: string | null;
  readonly avatarUrl: string | null;
  readonly referredBy: string | null;
  readonly registrationIp: Buffer;
  readonly signed: boolean;
};

/** Inserts the profile and marks its registration signature as used. */
export async function insertAgent(
  deps: Deps,
  tx: SqlEntityManager,
  agent: NewAgent,
  { signedAt, now }: { readonly signedAt: Date | undefined; readonly now: Date },
): Promise<void> {
  const { wallet, signed, referredBy } = agent;
  await tx.insert(Agent, { ...agent, referredAt: referredBy === null ? null : now, createdAt: now });
  if (signed && signedAt) await useSignature(tx, messageOf(deps, wallet, signedAt), now);
  // After the insert, because it waits for a concurrent registration or deletion of the wallet and then sees its result.
  if (!signed) await refuseUnsigned(sqlIn(tx), wallet);
}

/** True if the wallet signed the registration. Anyone who watches the chain can send an unsigned one. */
export function isSigned(deps: Deps, { walletAddress: wallet, signature, signedAt }: RegistrationInput): boolean {
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
 * Refuses an unsigned registration of a wallet that once registered with a signature: its owner can sign, so the caller may
 * be a stranger. The rule holds after the agent was deleted, too.
 */
export async function refuseUnsigned(sql: Sql, wallet: string): Promise<void> {
  const [signed] = await sql('select from signed_wallet where wallet = $1', [wallet]);
  if (signed) throw new AppError('SIGNATURE_REQUIRED', { why: 'this wallet has registered with a signature before' });
}

/** Marks a message as used. Otherwise anyone who saw it could register the wallet again after its agent is deleted. */
async function useSignature(tx: SqlEntityManager, message: Registration, now: Date): Promise<void> {
  await tx.nativeDelete(UsedSignature, { expiresAt: { $lt: now } });
  const digest = createHash('sha256').update(registrationMessage(message)).digest();
  await tx.insert(UsedSignature, { digest, expiresAt: expiryOf(message.time) });
  await tx.upsert(SignedWallet, { wallet: message.wallet }, { onConflictAction: 'ignore' });
}

/**
 * Checks wallet and agentId before the chain is asked; the constraints decide at the insert. Returns the wallet of an agent
 * that lost the agentId to this wallet: a reorg removed its registration, and the index now has this wallet's. undefined if
 * there is none.
 */
export async function checkFree(
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
  const replaceable = (row: { wallet: string; signed: boolean; lost: boolean }) =>
    row.wallet === wallet ? signed && !row.signed : row.lost;
  const blocking = rows.filter((row) => !replaceable(row));
  const [other] = blocking;
  const sameWallet = blocking.find((row) => row.wallet === wallet);
  if (sameWallet) throw new AppError('AGENT_EXISTS', {}, sameWallet.signed ? { advice: 'REGISTERED_SIGNED' } : {});
  if (other) throw new AppError('AGENT_EXISTS', { ownedBy: other.wallet }, { advice: 'AGENT_ID_OF_ANOTHER' });
  return rows.find((row) => row.wallet !== wallet)?.wallet;
}

const refusals: Readonly<Record<string, ErrorCode>> = {
  agent_pkey: 'AGENT_EXISTS',
  agent_agent_id_unique: 'AGENT_EXISTS',
  used_signature_pkey: 'SIGNATURE_INVALID',
  agent_referred_by_foreign: 'REFERRER_NOT_CLAIMED',
};

/** Translates violations of constraints by concurrent requests into errors of the API. */
export function throwRefusal(error: unknown): never {
  const code = refusals[violatedConstraint(error) ?? ''];
  throw code === undefined ? error : new AppError(code, {}, { cause: error });
}
