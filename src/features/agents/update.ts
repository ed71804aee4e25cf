import { LockMode } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { Deps } from '../../deps.js';
import { AppError } from '../../errors.js';
import type { Actor } from '../../keys.js';
import { Agent } from './entities.js';
import { dropOriginals, refuseHidden } from './hidden-profile.js';
import { referrerOf } from './referrer.js';
import { throwRefusal } from './refusals.js';
import { checkAbout, checkAvatarUrl } from './rules.js';

/** Absent fields stay unchanged. null or an empty text clears a field. */
export type ProfileChange = {
  readonly description?: string | null | undefined;
  readonly bio?: string | null | undefined;
  readonly avatarUrl?: string | null | undefined;
  /** agentId of the referrer. Can be set once, by this command or at registration. */
  readonly referredBy?: string | undefined;
};

/** The fields that a change can set, as they are stored after it. `referredBy` is absent if it did not change. */
export type ChangedProfile = {
  readonly description: string | null;
  readonly bio: string | null;
  readonly avatarUrl: string | null;
  readonly referredBy?: string;
};

/** Changes the given fields of a profile, all or none. `resultOf` makes the result, before the change is committed. */
export async function updateProfile<T = ChangedProfile>(
  deps: Deps,
  actor: Actor,
  change: ProfileChange,
  resultOf = (changed: ChangedProfile) => changed as T,
): Promise<T> {
  const { description, bio, avatarUrl } = change;
  const changed = {
    ...(description === undefined ? {} : { description: checkAbout('description', description ?? '') }),
    ...(bio === undefined ? {} : { bio: checkAbout('bio', bio ?? '') }),
    ...(avatarUrl === undefined ? {} : { avatarUrl: avatarUrl ? checkAvatarUrl(avatarUrl) : null }),
  };
  const referredBy = change.referredBy === undefined ? null : await newReferrer(deps, actor, change.referredBy);
  const save = async (tx: SqlEntityManager): Promise<T> => {
    const row = await tx.findOne(Agent, { wallet: actor.wallet }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (row === null) throw new AppError('INVALID_KEY');
    await refuseHidden(tx, actor.wallet, {
      texts: [changed.description, changed.bio],
      avatar: changed.avatarUrl,
    });
    await dropOriginals(tx, actor.wallet, changed);
    Object.assign(row, changed);
    if (referredBy !== null) {
      if (row.referredAt !== null) throw new AppError('REFERRER_SET');
      Object.assign(row, { referredBy, referredAt: deps.clock.now() });
    }
    const { description = null, bio = null, avatarUrl = null } = row;
    return resultOf({ description, bio, avatarUrl, ...(change.referredBy && { referredBy: change.referredBy }) });
  };
  return deps.write(save, { effect: true }).catch(throwRefusal);
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
