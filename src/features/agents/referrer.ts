import type { Deps } from '../../deps.js';
import { AppError } from '../../errors.js';
import { type Keyed, type Page, Parameters, rowsByParent } from '../../store/pages.js';
import { type AgentPart, type AgentWith, agentSelection } from './agent-row.js';

/** The agent that names a referrer. */
export type Referred = { readonly agentId: string; readonly registrationIp: Uint8Array };

type Referrer = { readonly wallet: string; readonly isClaimed: boolean; readonly sameIp: boolean };

/** Wallet of the referrer. The referrer must be claimed and must have registered from another IP address. */
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

const referralList = {
  from: 'agent r',
  of: 'r.referred_by',
  keys: [
    ['r.referred_at', 'timestamptz'],
    ['r.wallet', 'text'],
  ],
} as const;

/** The agents that each agent has referred, latest referral first. */
export function referrals<Part extends AgentPart>(
  deps: Deps,
  wallets: readonly string[],
  { page, parts }: { readonly page: Page; readonly parts: readonly Part[] },
): Promise<Map<string, Keyed<AgentWith<Part>>[]>> {
  const parameters = new Parameters();
  const { columns, joins } = agentSelection(deps, parts, { agent: 'r', parameters });
  const list = { ...referralList, columns, from: `${referralList.from} ${joins}`, values: parameters.values };
  return rowsByParent(deps.sql, list, wallets, page);
}
