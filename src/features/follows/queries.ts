import type { Deps } from '../../deps.js';
import type { Keyed, Page, Relation } from '../../store/pages.js';
import type { AgentPart, AgentWith } from '../agents/agent-row.js';
import { rowsWithAgents } from '../agents/joined-agents.js';

/** A follow in a list of the agent `owner`. `wallet` is the other agent. `otherRow` is present if parts were requested. */
export type FollowRow<Part extends AgentPart = never> = {
  readonly side: FollowSide;
  readonly owner: string;
  readonly wallet: string;
  readonly followedAt: Date;
  readonly otherRow?: AgentWith<Part> | null;
};

const otherColumns = { followers: 'follower', following: 'followed' } as const;

export type FollowSide = keyof typeof otherColumns;

/** The followers of each agent, or the agents that it follows, latest follow first. */
export function follows<Part extends AgentPart = never>(
  deps: Deps,
  wallets: readonly string[],
  { side, page, parts }: { readonly side: FollowSide; readonly page: Page; readonly parts?: readonly Part[] },
): Promise<Map<string, Keyed<FollowRow<Part>>[]>> {
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
  const joinedAgents = parts ? [{ name: 'other', wallet: other, parts }] : [];
  return rowsWithAgents(deps, list, wallets, { page, joinedAgents });
}
