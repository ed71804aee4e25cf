import type { Deps } from '../../deps.js';
import { type Keyed, type List, type Page, rowsOf } from '../../store/pages.js';
import { totalOf } from '../../store/totals.js';

export type ActKind = 'post' | 'follow' | 'like' | 'repost';

/** What an agent did that season points count besides trades. `target`: the agent that was followed, or whose post it is. */
export type ActRow = {
  readonly kind: ActKind;
  /** Identifies the act among those of its kind. */
  readonly rowId: string;
  readonly actor: string;
  readonly target: string | null;
  readonly createdAt: Date;
  /** Time when it was undone. */
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

/** All acts of a kind, also those that were undone, newest first. */
export const acts = (deps: Deps, kind: ActKind, page: Page): Promise<Keyed<ActRow>[]> =>
  rowsOf<ActRow>(deps.sql, lists[kind], page);

const counted: Readonly<Record<ActKind, string>> = {
  post: 'agent_activity',
  follow: 'agent_follow',
  like: "reaction where kind = 'like'",
  repost: "reaction where kind = 'repost'",
};

export const actTotal = (deps: Deps, kind: ActKind): Promise<number> => totalOf(deps, `select count(*) as n from ${counted[kind]}`);
