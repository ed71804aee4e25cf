import type { Deps } from '../../deps.js';
import { AppError } from '../../errors/errors.js';
import type { Actor } from '../../keys.js';
import type { AgentRow } from './queries.js';
import { agentIdOf, codePattern } from './rules.js';

/** The profile of an agent, without the figures of its market such as supply and volume. */
export type AgentRecord = Actor &
  Pick<AgentRow, 'avatarUrl' | 'isClaimed' | 'socialHandle' | 'followerCount' | 'followingCount' | 'walletId' | 'createdAt'> & {
    /** Whether the claim was made with the agent's key. */
    readonly claimFinal: boolean;
    readonly verificationCode: string;
  };

const RECORD = `select wallet, name, agent_id as "agentId", avatar_url as "avatarUrl",
  claimed_at is not null as "isClaimed", claim_final as "claimFinal", social_handle as "socialHandle", verification_code as "verificationCode",
  follower_count as "followerCount", following_count as "followingCount", wallet_id as "walletId", created_at as "createdAt"
  from agent`;

export const WALLET = /^0x[0-9a-f]{40}$/i;

/**
 * The column and value that find an agent by wallet address, agentId or name. `agentIdOf` derives the unique agentId from a
 * name and leaves an agentId unchanged, so one lookup serves both.
 */
export const lookupOf = (reference: string): readonly [column: 'wallet' | 'agent_id', value: string] =>
  WALLET.test(reference) ? ['wallet', reference.toLowerCase()] : ['agent_id', agentIdOf(reference)];

/** Finds an agent by wallet address, agentId or name. */
export async function findAgent(deps: Deps, reference: string): Promise<AgentRecord> {
  const [column, value] = lookupOf(reference);
  const [agent] = await deps.sql<AgentRecord>(`${RECORD} where ${column} = $1`, [value]);
  if (agent === undefined) throw new AppError('AGENT_NOT_FOUND');
  return agent;
}

/**
 * Finds the wallet of a market by wallet address, agentId or name: every indexed market of the chain, including those of deleted
 * agents and of wallets without a profile at this service. It also searches the agents of this service, because the market of a new
 * agent may not be indexed yet. If a reorg gave an agentId to another wallet, the agent of this service takes precedence.
 */
export async function findMarket(deps: Deps, reference: string): Promise<string> {
  const wallet = await marketOf(deps, reference);
  if (wallet === undefined) throw new AppError('AGENT_NOT_FOUND');
  return wallet;
}

/**
 * Finds a wallet by wallet address, agentId or name. A wallet address is not looked up: the wallet may have no market, or one that is
 * not indexed yet.
 */
export const walletOf = async (deps: Deps, reference: string): Promise<string> =>
  WALLET.test(reference) ? reference.toLowerCase() : findMarket(deps, reference);

/**
 * Finds the wallet of an agentId or name, for inputs that also accept a wallet address. It finds what `findMarket` finds, but
 * refuses an unknown name with INVALID_ADDRESS.
 */
export async function namedWallet(deps: Deps, name: string): Promise<string> {
  const wallet = await marketOf(deps, name);
  if (wallet === undefined) throw new AppError('INVALID_ADDRESS', {}, { advice: 'NO_AGENT_OF_NAME' });
  return wallet;
}

async function marketOf(deps: Deps, reference: string): Promise<string | undefined> {
  const [column, value] = lookupOf(reference);
  const [row] = await deps.sql<{ wallet: string }>(
    `select wallet from (
       select wallet, 1 as rank from agent where ${column} = $1
       union all select wallet, 2 from market where ${column} = $1
     ) found order by rank limit 1`,
    [value],
  );
  return row?.wallet;
}

/** Whether a reference (wallet address, agentId or name) identifies the caller. */
export const isSelf = (actor: Actor | null, reference: string): boolean =>
  actor !== null && (reference.toLowerCase() === actor.wallet || agentIdOf(reference) === actor.agentId);

/** The agent to which a verification code was issued. Null if the code is unknown or malformed. */
export async function agentByCode(deps: Deps, code: string): Promise<AgentRecord | null> {
  if (!codePattern.test(code)) return null;
  const [agent] = await deps.sql<AgentRecord>(`${RECORD} where verification_code = $1`, [code]);
  return agent ?? null;
}

/** Claim status of an agent, as answers name it. */
export const statusOf = ({ isClaimed }: { readonly isClaimed: boolean }) =>
  isClaimed ? ('claimed' as const) : ('pending_claim' as const);

/** The agent that names its referrer. */
type Referred = { readonly agentId: string; readonly registrationIp: Uint8Array };

type Referrer = { readonly wallet: string; readonly isClaimed: boolean; readonly sameIp: boolean };

/**
 * Finds the wallet of the referrer by its agentId. Refuses a referrer that is not claimed, or that registered from the same IP
 * address.
 */
export async function referrerOf(deps: Deps, referred: Referred, referredBy: string): Promise<string> {
  if (referredBy === referred.agentId) throw new AppError('SELF_REFERRAL');
  const [referrer] = await deps.sql<Referrer>(
    `select wallet, claimed_at is not null as "isClaimed", registration_ip = $2 as "sameIp"
     from agent where agent_id = $1`,
    [referredBy, referred.registrationIp],
  );
  if (!referrer?.isClaimed) throw new AppError('REFERRER_NOT_CLAIMED');
  if (referrer.sameIp) throw new AppError('SELF_REFERRAL');
  return referrer.wallet;
}
