import type { Deps } from '../../deps.js';
import { type Keyed, type Page, Parameters, type Relation, rowsByParent } from '../../store/pages.js';
import { type AgentPart, type AgentWith, agentSelection } from '../agents/agent-row.js';
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

const referralList = {
  from: 'agent r',
  of: 'r.referred_by',
  keys: [
    ['r.referred_at', 'timestamptz'],
    ['r.wallet', 'text'],
  ],
} as const;

/** The agents that each agent has referred, latest referral first. */
export function referrals<Part extends AgentPart>(
  deps: Deps,
  wallets: readonly string[],
  { page, parts }: { readonly page: Page; readonly parts: readonly Part[] },
): Promise<Map<string, Keyed<AgentWith<Part>>[]>> {
  const parameters = new Parameters();
  const { columns, joins } = agentSelection(deps, parts, { agent: 'r', parameters });
  const list = { ...referralList, columns, from: `${referralList.from} ${joins}`, values: parameters.values };
  return rowsByParent(deps.sql, list, wallets, page);
}
