import type { SqlEntityManager } from '@mikro-orm/sql';
import { sqlIn } from '../../store/sql.js';

// Hidden posts stay in their table with their likes, and no read of the feed selects them.

type Ids = readonly { readonly id: string }[];
const idsOf = (rows: Ids): string[] => rows.map(({ id }) => id);

/** Hides a post by an action on the post itself. Returns whether the post was visible before. Null if it was already hidden by such an action. */
export async function hidePost(tx: SqlEntityManager, id: string): Promise<{ readonly wasVisible: boolean } | null> {
  const [hidden] = await sqlIn(tx)<{ wasVisible: boolean }>(
    `update agent_activity post set hidden = 'post' from agent_activity before
     where post.id = $1 and before.id = post.id and coalesce(post.hidden, '') <> 'post'
     returning before.hidden is null as "wasVisible"`,
    [id],
  );
  return hidden ?? null;
}

/** Ends the hiding of a post. It stays hidden if all texts of its agent are. Null if the post was not hidden. */
export async function restorePost(
  tx: SqlEntityManager,
  id: string,
  textsHidden: boolean,
): Promise<{ readonly isVisible: boolean } | null> {
  const [restored] = await sqlIn(tx)<{ isVisible: boolean }>(
    `update agent_activity set hidden = $2 where id = $1 and hidden = 'post' returning hidden is null as "isVisible"`,
    [id, textsHidden ? 'texts' : null],
  );
  return restored ?? null;
}

/** Hides all posts of an agent. Returns the ids of those that were visible. */
export async function hidePostsOf(tx: SqlEntityManager, wallet: string): Promise<string[]> {
  return idsOf(
    await sqlIn(tx)<Ids[number]>(
      `update agent_activity set hidden = 'texts' where agent = $1 and hidden is null returning id`,
      [wallet],
    ),
  );
}

/** Shows the posts of an agent again, except those that were hidden one by one. Returns their ids. */
export async function restorePostsOf(tx: SqlEntityManager, wallet: string): Promise<string[]> {
  return idsOf(
    await sqlIn(tx)<Ids[number]>(
      `update agent_activity set hidden = null where agent = $1 and hidden = 'texts' returning id`,
      [wallet],
    ),
  );
}
