import type { Deps } from '../../deps.js';
import { type ByParent, type Page, type Relation, rowsByParent } from '../../store/pages.js';

/** A follow in the list of followers or followed agents of the agent `owner`. `wallet` is the other agent. */
export type FollowRow = {
  readonly side: FollowSide;
  readonly owner: string;
  readonly wallet: string;
  readonly followedAt: Date;
};

const otherColumns = { followers: 'follower', following: 'followed' } as const;

export type FollowSide = keyof typeof otherColumns;

/** The followers of each agent, or the agents that it follows, latest follow first. */
export function readFollows(
  deps: Deps,
  wallets: readonly string[],
  { side, page }: { readonly side: FollowSide; readonly page: Page },
): Promise<ByParent<FollowRow>> {
  const other = `f.${otherColumns[side]}`;
  const owner = side === 'followers' ? 'f.followed' : 'f.follower';
  const list: Relation = {
    columns: { side: `'${side}'`, owner, wallet: other, followedAt: 'f.created_at' },
    from: 'agent_follow f',
    of: owner,
    where: 'f.removed_at is null',
    keys: [
      ['f.created_at', 'timestamptz'],
      ['f.id', 'int8'],
    ],
  };
  return rowsByParent(deps.sql, list, wallets, page);
}
