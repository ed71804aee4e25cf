import { createHash } from 'node:crypto';
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { Deps } from '../../deps.js';
import { AppError } from '../../errors.js';
import { Agent } from '../agents/entities.js';
import { SignedWallet, UsedSignature } from '../keys/entities.js';
import type { Actor } from '../../keys.js';
import type { Spend } from '../../limits/limits.js';
import { type Sql, sqlIn } from '../../store/sql.js';
import { expiryOf, registrationMessage, type SignedFacts, serviceNames } from '../keys/rules.js';
import { refuseHidden } from '../agents/hidden-profile.js';
import { checkSignature, signedFacts } from '../keys/wallet-signature.js';

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

export type NewAgent = Actor & {
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
  if (signed && signedAt) await useSignature(tx, signedFacts(deps, wallet, signedAt), now);
  // Runs after the insert: the insert waits for a concurrent registration or deletion of the wallet, so this check sees
  // its result.
  if (!signed) await refuseUnsigned(sqlIn(tx), wallet);
  await refuseHidden(tx, wallet, { texts: [agent.description], avatar: agent.avatarUrl });
}

/**
 * True if the wallet signed the registration. Anyone who watches the chain can send an unsigned registration. Calls
 * `spend` before it asks the chain whether a contract wallet accepts the signature.
 */
export async function isSigned(
  deps: Deps,
  { walletAddress: wallet, signature, signedAt }: RegistrationInput,
  spend: Spend,
): Promise<boolean> {
  if (signature === undefined) {
    if (deps.config.REGISTRATION_SIGNATURE === 'optional') return false;
    throw new AppError('SIGNATURE_REQUIRED', { why: 'this service requires it' });
  }
  if (signedAt === undefined) throw new AppError('MISSING_FIELD', { field: 'signedAt' });
  const facts = signedFacts(deps, wallet, signedAt);
  await checkSignature(deps, { facts, textOf: registrationMessage, signature, refusal: 'SIGNATURE_INVALID' }, spend);
  return true;
}

/**
 * Refuses an unsigned registration of a wallet that once registered with a signature: its owner can sign, so the caller may
 * be a stranger. The rule holds after the agent was deleted, too.
 */
export async function refuseUnsigned(sql: Sql, wallet: string): Promise<void> {
  const [signed] = await sql('select from signed_wallet where wallet = $1', [wallet]);
  if (signed) throw new AppError('SIGNATURE_REQUIRED', { why: 'this wallet has registered with a signature before' });
}

/**
 * Marks a message as used. Otherwise anyone who saw the message could register the wallet again after its agent is
 * deleted. The messages with other names of the service count as the one with its first name.
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
 * Checks wallet and agentId before the chain is asked; the constraints decide at the insert. Returns the wallet of an
 * agent that lost the agentId to this wallet: a reorg removed the registration of that agent, and the index now
 * contains the registration of this wallet. undefined if there is none.
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
