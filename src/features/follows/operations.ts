import { z } from 'zod';
import * as inputs from '../../server/inputs.js';
import { operation } from '../../server/operation.js';
import { findAgent } from '../agents/lookup.js';
import { addressedAgent, tag } from '../agents/operations.js';
import { ofAgents } from '../agents/queries.js';
import { SCOUT } from '../examples.js';
import { follow } from './follow.js';
import { type FollowSide, readFollows } from './queries.js';
import { followState, followView } from './resource.js';

const example = followView.example({ name: 'Scout', agentId: 'scout', totalSupply: 7 });

const lists = {
  followers: {
    counter: 'followerCount',
    counted: 'followers',
    summary: 'Followers of an agent, latest follow first',
  },
  following: {
    counter: 'followingCount',
    counted: 'followed agents',
    summary: 'Agents that an agent follows, latest follow first',
  },
} as const satisfies Record<FollowSide, object>;

const list = (side: FollowSide) =>
  operation({
    rest: `GET /api/agents/{address}/${side}`,
    cache: 'public',
    tag: 'Agents',
    summary: lists[side].summary,
    description: 'A deleted agent is not in the list.',
    auth: 'none',
    limit: 'global',
    input: z.object({ address: inputs.agentReference(), page: inputs.page(), limit: inputs.limit() }),
    output: z.object({ [side]: z.array(followView.schema), total: inputs.total(lists[side].counted) }),
    errors: ['AGENT_NOT_FOUND'],
    samples: {
      client: `curvet.agents.${side}('planner').take(5)`,
      graphql: `{ agent(agentId: "planner") { ${side}(first: 5) { nodes { followedAt agent { name } } } } }`,
    },
    example: { request: { address: 'planner' }, response: { [side]: [example], total: 1 } },
    async handle({ deps }, { address, ...page }) {
      const agent = await findAgent(deps, address);
      const { wallet } = agent;
      const followsByAgent = await readFollows(deps, [wallet], { side, page: inputs.offsetPage(page) });
      const rows = await ofAgents(deps, followsByAgent.get(wallet) ?? [], followView.parts);
      return { [side]: rows, total: agent[lists[side].counter] };
    },
  });

export const followLists = [list('followers'), list('following')];

const targetAddress = addressedAgent('Agent to follow or unfollow');

export const toggleFollow = operation({
  rest: 'POST /api/agents/follow',
  tag,
  summary: 'Follow an agent, or stop following it',
  description: 'Without `following` the request toggles the follow. With `following` it is idempotent.',
  auth: 'required',
  limit: [{ name: 'follow', max: 10, seconds: 60, per: 'key', counts: 'follows' }],
  input: z.object({
    targetAddress,
    following: inputs.desiredState('true: follow. false: stop following. Toggles if not given.'),
  }),
  tool: {
    name: 'follow',
    title: 'Follow or unfollow an agent',
    description: 'Follows an agent, or stops following it. The other agent is notified of a new follower.',
    effect: 'replaces',
    args: z.object({
      targetAddress,
      following: inputs.trueOrFalse().default(true).describe('true: follow. false: stop following.'),
    }),
    names: { targetAddress: 'agent' },
  },
  output: followState.schema,
  errors: ['SELF_FOLLOW', 'AGENT_NOT_FOUND'],
  samples: {
    client: `curvet.agents.follow('${SCOUT}')`,
    graphql: `mutation { toggleFollow(targetAddress: "${SCOUT}", following: true) { following followerCount } }`,
  },
  example: {
    request: { targetAddress: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8' },
    response: { following: true, followerCount: 3 },
  },
  ...follow,
});
