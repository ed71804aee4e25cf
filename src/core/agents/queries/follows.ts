import type { Deps } from '../../../deps.js';
import { type Keyed, type Page, Parameters, type Relation, rowsByParent } from '../../../store/pages.js';
import { type AgentPart, type AgentWith, agentSelection } from './agent-row.js';
import { rowsWithAgents } from './agents-beside.js';

/** One of the follows of an agent. `wallet` is the other agent, and `otherRow` has its parts where they were asked for. */
export type FollowRow<Part extends AgentPart = never> = {
  readonly wallet: string;
  readonly followedAt: Date;
  readonly otherRow?: AgentWith<Part> | null;
};

const others = { followers: 'follower', following: 'followed' } as const;
export type FollowSide = keyof typeof others;

/** The followers of each agent, or the agents that it follows, the latest first. */
export function follows<Part extends AgentPart = never>(
  deps: Deps,
  wallets: readonly string[],
  { side, page, parts }: { readonly side: FollowSide; readonly page: Page; readonly parts?: readonly Part[] },
): Promise<Map<string, Keyed<FollowRow<Part>>[]>> {
  const other = `f.${others[side]}`;
  const list: Relation = {
    columns: { wallet: other, followedAt: 'f.created_at' },
    from: 'agent_follow f',
    of: side === 'followers' ? 'f.followed' : 'f.follower',
    where: 'f.removed_at is null',
    keys: [
      ['f.created_at', 'timestamptz'],
      ['f.id', 'int8'],
    ],
  };
  const beside = parts ? [{ name: 'other', wallet: other, parts }] : [];
  return rowsWithAgents(deps, list, wallets, { page, beside });
}

const referralList = {
  from: 'agent r',
  of: 'r.referred_by',
  keys: [
    ['r.referred_at', 'timestamptz'],
    ['r.wallet', 'text'],
  ],
} as const;

/** The agents that each agent has referred, the latest first. */
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
