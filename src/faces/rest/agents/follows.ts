import { z } from 'zod';
import { type FollowSide, follows as readFollows } from '../../../core/agents/queries/follows.js';
import { findAgent } from '../../../core/agents/queries/lookup.js';
import { pageSizes } from '../../page-sizes.js';
import { followParts, followView } from '../../resources/agent.js';
import { endpoint } from '../endpoint.js';
import { limit, offsetPage, page, text } from '../fields.js';

const example = followView.example({ name: 'Scout', agentId: 'scout', totalSupply: 7 });

const list = (side: FollowSide, counter: 'followerCount' | 'followingCount', summary: string) =>
  endpoint({
    method: 'GET',
    path: `/api/agents/{address}/${side}`,
    cache: 'public',
    tag: 'Agents',
    summary,
    description:
      'The agent is named by its wallet address, its agentId or its name. total counts all, on whichever page.',
    auth: 'none',
    limit: 'global',
    params: z.object({ address: text() }),
    query: z.object({ page: page(), limit: limit(pageSizes.list) }),
    output: z.object({ [side]: z.array(followView.schema), total: z.int() }),
    errors: ['AGENT_NOT_FOUND'],
    example: { request: { address: 'planner' }, response: { [side]: [example], total: 1 } },
    async handle(deps, { params, query }) {
      const agent = await findAgent(deps, params.address);
      const { wallet } = agent;
      const found = await readFollows(deps, [wallet], { side, page: offsetPage(query), parts: followParts });
      const entries = (found.get(wallet) ?? []).flatMap(({ followedAt, otherRow }) =>
        otherRow ? [followView.format({ ...otherRow, followedAt })] : [],
      );
      return { [side]: entries, total: agent[counter] };
    },
  });

export const follows = [
  list('followers', 'followerCount', 'Who follows an agent, the latest first'),
  list('following', 'followingCount', 'Whom an agent follows, the latest first'),
];
