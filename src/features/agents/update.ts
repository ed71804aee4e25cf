import { LockMode } from '@mikro-orm/core';
import type { Deps } from '../../deps.js';
import { AppError } from '../../errors/errors.js';
import type { Actor } from '../../keys.js';
import type { UseCase } from '../../use-case.js';
import { Agent } from './entities.js';
import { dropOriginals, refuseHidden } from './hidden-profile.js';
import { referrerOf } from './lookup.js';
import { throwRefusal } from './refusals.js';
import { checkAbout, checkAvatarUrl } from './rules.js';

/** Absent fields stay unchanged. null or an empty text clears a field. */
type ProfileChange = {
  readonly description?: string | null | undefined;
  readonly bio?: string | null | undefined;
  readonly avatarUrl?: string | null | undefined;
  readonly identity?: string | null | undefined;
  /** agentId of the referrer. Can be set once, by this use case or at registration. */
  readonly referredBy?: string | undefined;
};

type Prepared = {
  readonly description?: string | null;
  readonly bio?: string | null;
  readonly avatarUrl?: string | null;
  readonly identity?: string | null;
  readonly referrer: { readonly wallet: string; readonly agentId: string } | null;
};

type ChangedProfile = {
  readonly description: string | null;
  readonly bio: string | null;
  readonly avatarUrl: string | null;
  readonly identity: string | null;
  readonly referredBy?: string;
};

/**
 * Changes the given fields of a profile, all or none. Returns the fields as they are stored after the change. `referredBy` is
 * absent if it did not change.
 */
export const updateProfile: UseCase<'required', ProfileChange, Prepared, ChangedProfile> = {
  async prepare({ deps, actor }, { description, bio, avatarUrl, identity, referredBy }) {
    return {
      ...(description === undefined ? {} : { description: checkAbout('description', description ?? '') }),
      ...(bio === undefined ? {} : { bio: checkAbout('bio', bio ?? '') }),
      ...(avatarUrl === undefined ? {} : { avatarUrl: avatarUrl ? checkAvatarUrl(avatarUrl) : null }),
      ...(identity === undefined ? {} : { identity: identity || null }),
      referrer: referredBy === undefined ? null : { wallet: await newReferrer(deps, actor, referredBy), agentId: referredBy },
    };
  },
  async effect(tx, { referrer, ...changed }, { deps, actor: { wallet } }) {
    const row = await tx.findOne(Agent, { wallet }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (row === null) throw new AppError('INVALID_KEY');
    await refuseHidden(tx, wallet, { texts: [changed.description, changed.bio], avatar: changed.avatarUrl });
    await dropOriginals(tx, wallet, changed);
    Object.assign(row, changed);
    if (referrer !== null) {
      if (row.referredAt !== null) throw new AppError('REFERRER_SET');
      Object.assign(row, { referredBy: referrer.wallet, referredAt: deps.clock.now() });
    }
    await tx.flush().catch(throwRefusal);
    const { description = null, bio = null, avatarUrl = null, identity = null } = row;
    return { description, bio, avatarUrl, identity, ...(referrer && { referredBy: referrer.agentId }) };
  },
};

/**
 * Checks the referrer that an agent names, and returns its wallet. An agent names a referrer only once, even if the referrer was
 * deleted later.
 */
async function newReferrer(deps: Deps, { wallet, agentId }: Actor, referredBy: string): Promise<string> {
  const [agent] = await deps.sql<{ isReferred: boolean; registrationIp: Uint8Array }>(
    `select referred_at is not null as "isReferred", registration_ip as "registrationIp" from agent where wallet = $1`,
    [wallet],
  );
  if (agent === undefined) throw new AppError('INVALID_KEY');
  if (agent.isReferred) throw new AppError('REFERRER_SET');
  return referrerOf(deps, { agentId, registrationIp: agent.registrationIp }, referredBy);
}
