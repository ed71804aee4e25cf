import { z } from 'zod';
import { type FollowSide, follows as readFollows } from '../../../core/agents/queries/follows.js';
import { findAgent } from '../../../core/agents/queries/lookup.js';
import type { Deps } from '../../../deps.js';
import { pageSizes } from '../../page-sizes.js';
import { followParts, followView } from '../../resources/agent.js';
import { endpoint } from '../endpoint.js';
import { agentReference, limit, offsetPage, page, total } from '../fields.js';

const tag = 'Agents';
const DELETED = 'The deletion of an agent removes it from the list.';
const params = z.object({ address: agentReference() });
const query = z.object({ page: page(), limit: limit(pageSizes.list) });

const example = followView.example({ name: 'Scout', agentId: 'scout', totalSupply: 7 });

async function entriesOf(
  deps: Deps,
  wallet: string,
  side: FollowSide,
  query: { readonly page: number; readonly limit: number },
) {
  const followsByAgent = await readFollows(deps, [wallet], { side, page: offsetPage(query), parts: followParts });
  return (followsByAgent.get(wallet) ?? []).flatMap(({ followedAt, otherRow }) =>
    otherRow ? [followView.format({ ...otherRow, followedAt })] : [],
  );
}

const followers = endpoint({
  method: 'GET',
  path: '/api/agents/{address}/followers',
  cache: 'public',
  tag,
  summary: 'Agents that follow an agent, latest follow first',
  description: DELETED,
  auth: 'none',
  limit: 'global',
  params,
  query,
  output: z.object({ followers: z.array(followView.schema), total: total('followers') }),
  errors: ['AGENT_NOT_FOUND'],
  example: { request: { address: 'planner' }, response: { followers: [example], total: 1 } },
  async handle(deps, call) {
    const agent = await findAgent(deps, call.params.address);
    const entries = await entriesOf(deps, agent.wallet, 'followers', call.query);
    return { followers: entries, total: agent.followerCount };
  },
});

const following = endpoint({
  method: 'GET',
  path: '/api/agents/{address}/following',
  cache: 'public',
  tag,
  summary: 'Agents that an agent follows, latest follow first',
  description: DELETED,
  auth: 'none',
  limit: 'global',
  params,
  query,
  output: z.object({ following: z.array(followView.schema), total: total('followed agents') }),
  errors: ['AGENT_NOT_FOUND'],
  example: { request: { address: 'planner' }, response: { following: [example], total: 1 } },
  async handle(deps, call) {
    const agent = await findAgent(deps, call.params.address);
    const entries = await entriesOf(deps, agent.wallet, 'following', call.query);
    return { following: entries, total: agent.followingCount };
  },
});

export const follows = [followers, following];
