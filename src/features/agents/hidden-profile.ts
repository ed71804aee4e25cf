import type { SqlEntityManager } from '@mikro-orm/sql';
import { AppError } from '../../errors/errors.js';
import { type Sql, sqlIn } from '../../store/sql.js';
import { HiddenProfile, type ProfilePart } from './entities.js';

// Hides avatars and texts of agents. The table `agent` has only what everyone may see, so reads of it need no condition. The
// originals are in `hidden_profile` until the operator restores them.

/** New texts and a new avatar for an agent. Null, undefined and empty texts count as no content, so they are never refused. */
type Given = { readonly texts?: readonly (string | null | undefined)[]; readonly avatar?: string | null | undefined };

const partsOf = ({ texts = [], avatar }: Given): ProfilePart[] => [
  ...(texts.some(Boolean) ? ['texts' as const] : []),
  ...(avatar ? ['avatar' as const] : []),
];

/**
 * Refuses new content for a part of a profile that the operator has hidden. Locks the agent, so that it waits for a concurrent
 * action of the operator and sees its result.
 */
export async function refuseHidden(tx: SqlEntityManager, wallet: string, given: Given): Promise<void> {
  if (partsOf(given).length === 0) return;
  // Raw SQL does not see changes that the entity manager has not sent yet.
  await tx.flush();
  await sqlIn(tx)('select from agent where wallet = $1 for key share', [wallet]);
  await refuseHiddenParts(sqlIn(tx), wallet, given);
}

/** Like `refuseHidden`, but without a lock: it checks only what is hidden at this moment. */
export async function refuseHiddenParts(sql: Sql, wallet: string, given: Given): Promise<void> {
  const parts = partsOf(given);
  if (parts.length === 0) return;
  const hidden = await hiddenParts(sql, wallet);
  const refused = parts.find((part) => hidden.includes(part));
  if (refused) throw new AppError('CONTENT_HIDDEN', { what: refused });
}

/** The parts of a wallet's profile that the operator has hidden or replaced. */
export async function hiddenParts(sql: Sql, wallet: string): Promise<ProfilePart[]> {
  const rows = await sql<{ part: ProfilePart }>('select part from hidden_profile where wallet = $1', [wallet]);
  return rows.map(({ part }) => part);
}

/** Deletes the originals of fields that the agent clears, so that restoring does not bring them back. */
export async function dropOriginals(
  tx: SqlEntityManager,
  wallet: string,
  cleared: { readonly [field in 'description' | 'bio' | 'avatarUrl']?: string | null },
): Promise<void> {
  const originals = ['description', 'bio', 'avatarUrl'] as const;
  const changes = Object.fromEntries(originals.filter((field) => cleared[field] === null).map((field) => [field, null]));
  if (Object.keys(changes).length > 0) await tx.nativeUpdate(HiddenProfile, { wallet }, changes);
}

const columns = { avatar: ['avatar_url'], texts: ['description', 'bio'] } as const;

/**
 * Hides a part of a profile. `shown` is the avatar to show instead of the avatar of the agent; null shows none. Returns whether
 * anything changed.
 */
export async function hidePart(
  tx: SqlEntityManager,
  { wallet, part, shown }: { readonly wallet: string; readonly part: ProfilePart; readonly shown: string | null },
  now: Date,
): Promise<boolean> {
  const sql = sqlIn(tx);
  const names = columns[part].join(', ');
  // If the part is hidden already, the stored original stays: `agent` then has only what the operator put there.
  const hidden = await sql(
    `insert into hidden_profile (wallet, part, ${names}, created_at)
     select wallet, $2, ${names}, $3 from agent where wallet = $1
     on conflict do nothing returning wallet`,
    [wallet, part, now.toISOString()],
  );
  const changed = await sql(
    `update agent set ${columns[part].map((name) => `${name} = $2`).join(', ')}
     where wallet = $1 and (${columns[part].map((name) => `${name} is distinct from $2`).join(' or ')}) returning wallet`,
    [wallet, shown],
  );
  return hidden.length + changed.length > 0;
}

/** Restores the original of a part, if the wallet still has a profile. Returns whether the part was hidden. */
export async function restorePart(tx: SqlEntityManager, wallet: string, part: ProfilePart): Promise<boolean> {
  const sql = sqlIn(tx);
  await sql(
    `update agent set ${columns[part].map((name) => `${name} = original.${name}`).join(', ')}
     from hidden_profile original where agent.wallet = $1 and original.wallet = $1 and original.part = $2`,
    [wallet, part],
  );
  return (await tx.nativeDelete(HiddenProfile, { wallet, part })) > 0;
}
