import type { Deps } from '../../../deps.js';
import { AppError } from '../../../errors.js';
import { agentIdOf, codePattern } from '../rules.js';

/** Who calls: the agent whose key was sent. */
export type Actor = { readonly wallet: string; readonly name: string; readonly agentId: string };

export async function agentByKeyHash(deps: Deps, hash: Buffer): Promise<Actor | null> {
  const [row] = await deps.sql<Actor>('select wallet, name, agent_id as "agentId" from agent where api_key_hash = $1', [
    hash,
  ]);
  return row ?? null;
}

/** An agent as its own record has it, without its market. */
export type AgentRecord = Actor & {
  readonly avatarUrl: string | null;
  readonly isClaimed: boolean;
  /** The claim was made with the agent's key. */
  readonly claimFinal: boolean;
  readonly socialHandle: string | null;
  readonly verificationCode: string;
  readonly followerCount: number;
  readonly followingCount: number;
  /** Where somebody manages the wallet for the agent. */
  readonly walletId: string | null;
  readonly createdAt: Date;
};

const RECORD = `select wallet, name, agent_id as "agentId", avatar_url as "avatarUrl",
  claimed_at is not null as "isClaimed", claim_final as "claimFinal", social_handle as "socialHandle", verification_code as "verificationCode",
  follower_count as "followerCount", following_count as "followingCount", wallet_id as "walletId", created_at as "createdAt"
  from agent`;

const WALLET = /^0x[0-9a-f]{40}$/i;

/**
 * The column by which a wallet, an agentId or a name is looked up, and its value there. An agentId is made from its name
 * in one way, and no two agents have the same, so what is made from the reference in that way finds either.
 */
export const lookupOf = (reference: string): readonly [column: 'wallet' | 'agent_id', value: string] =>
  WALLET.test(reference) ? ['wallet', reference.toLowerCase()] : ['agent_id', agentIdOf(reference)];

/** The agent of a wallet, an agentId or a name. */
export async function findAgent(deps: Deps, reference: string): Promise<AgentRecord> {
  const [column, value] = lookupOf(reference);
  const [agent] = await deps.sql<AgentRecord>(`${RECORD} where ${column} = $1`, [value]);
  if (agent === undefined) throw new AppError('AGENT_NOT_FOUND');
  return agent;
}

/** Whether a reference, in any of its forms, means the caller itself. */
export const isSelf = (actor: Actor | null, reference: string): boolean =>
  actor !== null && (reference.toLowerCase() === actor.wallet || agentIdOf(reference) === actor.agentId);

/** The agent that a verification code was issued to; null if the code is unknown, or cannot be one. */
export async function agentByCode(deps: Deps, code: string): Promise<AgentRecord | null> {
  if (!codePattern.test(code)) return null;
  const [agent] = await deps.sql<AgentRecord>(`${RECORD} where verification_code = $1`, [code]);
  return agent ?? null;
}

/** Where an agent stands in its verification. */
export const statusOf = ({ isClaimed }: { readonly isClaimed: boolean }) =>
  isClaimed ? ('claimed' as const) : ('pending_claim' as const);
