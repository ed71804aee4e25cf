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

// The parts of a registration that write the tables of this feature. `core/desk` puts them together.

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

/** Inserts the profile and marks the signature of its registration as used. */
export async function insertAgent(
  deps: Deps,
  tx: SqlEntityManager,
  agent: NewAgent,
  { signedAt, now }: { readonly signedAt: Date | undefined; readonly now: Date },
): Promise<void> {
  const { wallet, signed, referredBy } = agent;
  await tx.insert(Agent, { ...agent, referredAt: referredBy === null ? null : now, createdAt: now });
  if (signed && signedAt) await useSignature(tx, messageOf(deps, wallet, signedAt), now);
  // After the insert, which waits for another registration or a deletion of the same wallet: what it stored is visible.
  if (!signed) await refuseUnsigned(sqlIn(tx), wallet);
}

/** Whether the wallet's owner sent the registration. Without a signature, anyone who watches the chain can send it. */
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
 * A wallet that registered with a signature once has an owner who can sign. A registration without one may be a stranger's,
 * also after the agent was deleted.
 */
export async function refuseUnsigned(sql: Sql, wallet: string): Promise<void> {
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
  const standing = rows.filter((row) => !replaceable(row));
  const [other] = standing;
  const own = standing.find((row) => row.wallet === wallet);
  if (own) throw new AppError('AGENT_EXISTS', {}, own.signed ? { advice: 'REGISTERED_SIGNED' } : {});
  if (other) throw new AppError('AGENT_EXISTS', { ownedBy: other.wallet }, { advice: 'AGENT_ID_OF_ANOTHER' });
  return rows.find((row) => row.wallet !== wallet)?.wallet;
}

const refusals: Readonly<Record<string, ErrorCode>> = {
  agent_pkey: 'AGENT_EXISTS',
  agent_agent_id_unique: 'AGENT_EXISTS',
  used_signature_pkey: 'SIGNATURE_INVALID',
  agent_referred_by_foreign: 'REFERRER_NOT_CLAIMED',
};

/** Translates a constraint that a concurrent request violated between the checks and the insert. */
export function throwRefusal(error: unknown): never {
  const code = refusals[violatedConstraint(error) ?? ''];
  throw code === undefined ? error : new AppError(code, {}, { cause: error });
}
