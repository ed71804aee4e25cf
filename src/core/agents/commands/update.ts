import { LockMode } from '@mikro-orm/core';
import type { Deps } from '../../../deps.js';
import { AppError } from '../../../errors.js';
import { Agent } from '../../../store/entities/agent.js';
import { violatedConstraint } from '../../../store/violation.js';
import type { Actor } from '../queries/lookup.js';
import { checkAbout, checkAvatarUrl } from '../rules.js';
import { referrerOf } from './referrer.js';

/** Absent fields stay unchanged. null or an empty text clears a field. */
export type ProfileChange = {
  readonly description?: string | null | undefined;
  readonly bio?: string | null | undefined;
  readonly avatarUrl?: string | null | undefined;
  /** agentId of the referrer. Can be set once, here or at registration. */
  readonly referredBy?: string | undefined;
};

/** Changes the given fields of a profile, all or none. */
export async function updateProfile(deps: Deps, actor: Actor, change: ProfileChange): Promise<void> {
  const { description, bio, avatarUrl } = change;
  const changed = {
    ...(description === undefined ? {} : { description: checkAbout('description', description ?? '') }),
    ...(bio === undefined ? {} : { bio: checkAbout('bio', bio ?? '') }),
    ...(avatarUrl === undefined ? {} : { avatarUrl: avatarUrl ? checkAvatarUrl(avatarUrl) : null }),
  };
  const referredBy = change.referredBy === undefined ? null : await newReferrer(deps, actor, change.referredBy);
  try {
    await deps.write(async (tx) => {
      const row = await tx.findOne(Agent, { wallet: actor.wallet }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      if (row === null) throw new AppError('INVALID_KEY');
      Object.assign(row, changed);
      if (referredBy === null) return;
      if (row.referredAt !== null) throw new AppError('REFERRER_SET');
      Object.assign(row, { referredBy, referredAt: deps.clock.now() });
    });
  } catch (error) {
    if (violatedConstraint(error) !== 'agent_referred_by_foreign') throw error;
    throw new AppError('REFERRER_NOT_CLAIMED', {}, { cause: error });
  }
}

/** Checks a referrer. A referrer that was set and then deleted still counts as set. */
async function newReferrer(deps: Deps, { wallet, agentId }: Actor, referredBy: string): Promise<string> {
  const [agent] = await deps.sql<{ isReferred: boolean; registrationIp: Uint8Array }>(
    `select referred_at is not null as "isReferred", registration_ip as "registrationIp" from agent where wallet = $1`,
    [wallet],
  );
  if (agent === undefined) throw new AppError('INVALID_KEY');
  if (agent.isReferred) throw new AppError('REFERRER_SET');
  return referrerOf(deps, { agentId, registrationIp: agent.registrationIp }, referredBy);
}
