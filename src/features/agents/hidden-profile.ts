import type { SqlEntityManager } from '@mikro-orm/sql';
import { AppError } from '../../errors.js';
import { sqlIn } from '../../store/sql.js';
import type { ProfilePart } from './entities.js';

// Hidden avatars and texts. The profile has what everyone may see, so no read needs a condition. The originals are in
// hidden_profile until the operator restores them.

/** New content of an agent. Null and undefined are no content. */
type Given = { readonly texts?: readonly (string | null | undefined)[]; readonly avatar?: string | null | undefined };

/** Refuses new content where the operator has hidden the old. Locks the agent, so that it waits for an action of the operator. */
export async function refuseHidden(tx: SqlEntityManager, wallet: string, { texts = [], avatar }: Given): Promise<void> {
  const given: ProfilePart[] = [
    ...(texts.some(Boolean) ? ['texts' as const] : []),
    ...(avatar ? ['avatar' as const] : []),
  ];
  if (given.length === 0) return;
  await tx.flush();
  await sqlIn(tx)('select from agent where wallet = $1 for key share', [wallet]);
  const hidden = await hiddenParts(tx, wallet);
  const refused = given.find((part) => hidden.includes(part));
  if (refused) throw new AppError('CONTENT_HIDDEN', { what: refused });
}

/** The parts of a wallet's profile that the operator has hidden or replaced. */
export async function hiddenParts(tx: SqlEntityManager, wallet: string): Promise<ProfilePart[]> {
  const rows = await sqlIn(tx)<{ part: ProfilePart }>('select part from hidden_profile where wallet = $1', [wallet]);
  return rows.map(({ part }) => part);
}

/** Deletes the originals of fields that the agent clears, so that restoring does not bring them back. */
export async function dropOriginals(
  tx: SqlEntityManager,
  wallet: string,
  cleared: { readonly [field in 'description' | 'bio' | 'avatarUrl']?: string | null },
): Promise<void> {
  const isCleared = (field: keyof typeof cleared) => cleared[field] === null;
  if (!(isCleared('description') || isCleared('bio') || isCleared('avatarUrl'))) return;
  await sqlIn(tx)(
    `update hidden_profile set
       description = case when $2 then null else description end,
       bio = case when $3 then null else bio end,
       avatar_url = case when $4 then null else avatar_url end
     where wallet = $1`,
    [wallet, isCleared('description'), isCleared('bio'), isCleared('avatarUrl')],
  );
}

/** Shows `shown` instead of the agent's avatar. Null shows none. Returns whether anything changed. */
export async function hideAvatar(
  tx: SqlEntityManager,
  wallet: string,
  shown: string | null,
  now: Date,
): Promise<boolean> {
  const sql = sqlIn(tx);
  const hidden = await sql(
    `insert into hidden_profile (wallet, part, avatar_url, created_at)
     select wallet, 'avatar', avatar_url, $2 from agent where wallet = $1
     on conflict do nothing returning wallet`,
    [wallet, now.toISOString()],
  );
  const changed = await sql(
    'update agent set avatar_url = $2 where wallet = $1 and avatar_url is distinct from $2 returning wallet',
    [wallet, shown],
  );
  return hidden.length + changed.length > 0;
}

/** Hides description and bio. Returns whether they were visible. */
export async function hideAbout(tx: SqlEntityManager, wallet: string, now: Date): Promise<boolean> {
  const sql = sqlIn(tx);
  const hidden = await sql(
    `insert into hidden_profile (wallet, part, description, bio, created_at)
     select wallet, 'texts', description, bio, $2 from agent where wallet = $1
     on conflict do nothing returning wallet`,
    [wallet, now.toISOString()],
  );
  await sql('update agent set description = null, bio = null where wallet = $1', [wallet]);
  return hidden.length > 0;
}

/** Brings the original of a part back, if the wallet still has a profile. Returns whether the part was hidden. */
export async function restorePart(tx: SqlEntityManager, wallet: string, part: ProfilePart): Promise<boolean> {
  const columns = part === 'avatar' ? ['avatar_url'] : ['description', 'bio'];
  const sql = sqlIn(tx);
  await sql(
    `update agent set ${columns.map((column) => `${column} = original.${column}`).join(', ')}
     from hidden_profile original where agent.wallet = $1 and original.wallet = $1 and original.part = $2`,
    [wallet, part],
  );
  const removed = await sql('delete from hidden_profile where wallet = $1 and part = $2 returning wallet', [
    wallet,
    part,
  ]);
  return removed.length > 0;
}
