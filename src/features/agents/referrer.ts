import type { Deps } from '../../deps.js';
import { AppError } from '../../errors.js';

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
