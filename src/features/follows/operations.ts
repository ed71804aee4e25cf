import { z } from 'zod';
import { type FollowSide, follows as readFollows } from './queries.js';
import { findAgent } from '../agents/lookup.js';
import { agentParams, limit, offsetPage, page, total } from '../../server/fields.js';
import { pageSizes } from '../../server/page-sizes.js';
import { endpoint } from '../../server/rest/endpoint.js';
import { followParts, followView } from '../agents/resource.js';

const DELETED = 'A deleted agent is not in the list.';

const example = followView.example({ name: 'Scout', agentId: 'scout', totalSupply: 7 });

type FollowList = {
  readonly side: FollowSide;
  readonly counter: 'followerCount' | 'followingCount';
  /** Plural noun for the items that `total` counts. */
  readonly counted: string;
  readonly summary: string;
};

const list = ({ side, counter, counted, summary }: FollowList) =>
  endpoint({
    method: 'GET',
    path: `/api/agents/{address}/${side}`,
    cache: 'public',
    tag: 'Agents',
    summary,
    description: DELETED,
    auth: 'none',
    limit: 'global',
    params: agentParams(),
    query: z.object({ page: page(), limit: limit(pageSizes.list) }),
    output: z.object({ [side]: z.array(followView.schema), total: total(counted) }),
    errors: ['AGENT_NOT_FOUND'],
    example: { request: { address: 'planner' }, response: { [side]: [example], total: 1 } },
    async handle(deps, { params, query }) {
      const agent = await findAgent(deps, params.address);
      const { wallet } = agent;
      const followsByAgent = await readFollows(deps, [wallet], { side, page: offsetPage(query), parts: followParts });
      const entries = (followsByAgent.get(wallet) ?? []).flatMap(({ followedAt, otherRow }) =>
        otherRow ? [followView.format({ ...otherRow, followedAt })] : [],
      );
      return { [side]: entries, total: agent[counter] };
    },
  });

export const follows = [
  list({
    side: 'followers',
    counter: 'followerCount',
    counted: 'followers',
    summary: 'Agents that follow an agent, latest follow first',
  }),
  list({
    side: 'following',
    counter: 'followingCount',
    counted: 'followed agents',
    summary: 'Agents that an agent follows, latest follow first',
  }),
];
