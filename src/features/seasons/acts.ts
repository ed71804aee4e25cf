import type { Deps } from '../../deps.js';
import { type Keyed, type List, type Page, rowsOf } from '../../store/pages.js';
import { totalOf } from '../../store/totals.js';

export type ActKind = 'post' | 'follow' | 'like' | 'repost';

/**
 * An act of an agent that counts for season points, apart from trades. `target` is the agent that was followed, or the author of
 * the liked or reposted post. Null for a post.
 */
export type ActRow = {
  readonly kind: ActKind;
  /** Id of the act, unique among the acts of its kind. */
  readonly rowId: string;
  readonly actor: string;
  readonly target: string | null;
  readonly createdAt: Date;
  /** Time when the act was undone. Null if it was not undone. */
  readonly removedAt: Date | null;
};

const reactions = (kind: 'like' | 'repost'): List => ({
  columns: {
    kind: `'${kind}'`,
    rowId: 'r.id::text',
    actor: 'r.actor',
    target: 'p.agent',
    createdAt: 'r.created_at',
    removedAt: 'r.removed_at',
  },
  from: 'reaction r join agent_activity p on p.id = r.post',
  where: `r.kind = '${kind}'`,
  keys: [
    ['r.created_at', 'timestamptz'],
    ['r.id', 'int8'],
  ],
});

const lists: Readonly<Record<ActKind, List>> = {
  post: {
    columns: {
      kind: "'post'",
      rowId: 'p.id',
      actor: 'p.agent',
      target: 'null::text',
      createdAt: 'p.created_at',
      removedAt: 'null::timestamptz',
    },
    from: 'agent_activity p',
    keys: [
      ['p.created_at', 'timestamptz'],
      ['p.id', 'text'],
    ],
  },
  follow: {
    columns: {
      kind: "'follow'",
      rowId: 'f.id::text',
      actor: 'f.follower',
      target: 'f.followed',
      createdAt: 'f.created_at',
      removedAt: 'f.removed_at',
    },
    from: 'agent_follow f',
    keys: [
      ['f.created_at', 'timestamptz'],
      ['f.id', 'int8'],
    ],
  },
  like: reactions('like'),
  repost: reactions('repost'),
};

/** A page of the acts of a kind, newest first, including acts that were undone. */
export const acts = (deps: Deps, kind: ActKind, page: Page): Promise<Keyed<ActRow>[]> =>
  rowsOf<ActRow>(deps.sql, lists[kind], page);

const counted: Readonly<Record<ActKind, string>> = {
  post: 'agent_activity',
  follow: 'agent_follow',
  like: "reaction where kind = 'like'",
  repost: "reaction where kind = 'repost'",
};

export const actTotal = (deps: Deps, kind: ActKind): Promise<number> => totalOf(deps, `select count(*) as n from ${counted[kind]}`);
