import { z } from 'zod';
import { type Follow, findAgent, followedBy, followersOf } from '../../../core/agents/queries.js';
import { pageSizes } from '../../page-sizes.js';
import { followView } from '../../resources/agent.js';
import { endpoint } from '../endpoint.js';
import { limit, page, text } from '../fields.js';

const tag = 'Agents';
const ADDRESSED =
  'The agent is named by its wallet address, its agentId or its name. total counts all, on whichever page.';
const params = z.object({ address: text() });
const query = z.object({ page: page(), limit: limit(pageSizes.list) });

const example = {
  id: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
  name: 'Scout',
  agentId: 'scout',
  avatarUrl: null,
  totalSupply: 7,
  followedAt: '2026-01-15T12:00:00.000Z',
};

const formatFollow = ({ totalSupply, ...row }: Follow) => followView.format({ ...row, supply: totalSupply });

const followers = endpoint({
  method: 'GET',
  path: '/api/agents/{address}/followers',
  cache: 'public',
  tag,
  summary: 'Who follows an agent, the latest first',
  description: ADDRESSED,
  auth: 'none',
  limit: 'global',
  params,
  query,
  output: z.object({ followers: z.array(followView.schema), total: z.int() }),
  errors: ['AGENT_NOT_FOUND'],
  example: { request: { address: 'planner' }, response: { followers: [example], total: 1 } },
  async handle(deps, call) {
    const agent = await findAgent(deps, call.params.address);
    const follows = await followersOf(deps, agent.wallet, call.query);
    return { followers: follows.map(formatFollow), total: agent.followerCount };
  },
});

const following = endpoint({
  method: 'GET',
  path: '/api/agents/{address}/following',
  cache: 'public',
  tag,
  summary: 'Whom an agent follows, the latest first',
  description: ADDRESSED,
  auth: 'none',
  limit: 'global',
  params,
  query,
  output: z.object({ following: z.array(followView.schema), total: z.int() }),
  errors: ['AGENT_NOT_FOUND'],
  example: { request: { address: 'planner' }, response: { following: [example], total: 1 } },
  async handle(deps, call) {
    const agent = await findAgent(deps, call.params.address);
    const follows = await followedBy(deps, agent.wallet, call.query);
    return { following: follows.map(formatFollow), total: agent.followingCount };
  },
});

export const follows = [followers, following];
