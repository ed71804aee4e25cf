import { z } from 'zod';
import { deleteAgent } from '../../../core/desk/commands/delete-agent.js';
import { me as readMe, SHOWN_HOLDINGS } from '../../../core/desk/queries/me.js';
import { agentProfile, formatOwnProfile, myStatsView, ownProfileSchema } from '../../resources/agent.js';
import { pick, view } from '../../resources/field.js';
import { holdingView } from '../../resources/holding.js';
import { pointsView } from '../../resources/points.js';
import { endpoint } from '../endpoint.js';
import * as example from '../examples.js';
import { address } from '../fields.js';

const portfolio = view(pick(holdingView.fields, 'agentAddress', 'agentName', 'agentId', 'amount', 'ticketPriceEth'));

const me = endpoint({
  method: 'GET',
  path: '/api/agents/me',
  cache: 'never',
  tag: 'Agents',
  summary: 'Agent of the key: profile, portfolio, counts and season points',
  description:
    `The portfolio contains the ${SHOWN_HOLDINGS} largest positions in other agents. GET /api/agents/me/holdings reads ` +
    'all positions page by page.',
  auth: 'required',
  limit: [{ name: 'me', max: 30, seconds: 60, per: 'key' }],
  output: z.object({
    agent: ownProfileSchema,
    portfolio: z.object({
      holdings: z.array(portfolio.schema),
      totalHoldings: z.int().meta({
        description: 'Number of all positions in other agents, including those that holdings omits.',
      }),
    }),
    myStats: myStatsView.schema,
    points: pointsView.schema.nullable().meta({
      description: 'Points in the current season. Null before the first scoring.',
    }),
  }),
  errors: [],
  example: {
    response: {
      agent: { ...example.profile, verificationCode: 'CURVET-7K2P' },
      portfolio: {
        holdings: [
          portfolio.example({
            agentAddress: example.PLANNER,
            agentName: 'Planner',
            agentId: 'planner',
            amount: 2,
            ticketPriceEth: '0.00018',
          }),
        ],
        totalHoldings: 1,
      },
      myStats: example.myStats,
      points: null,
    },
  },
  async handle(deps, { actor }) {
    const { holdings, totalHoldings, stats, points, ...own } = await readMe(deps, actor);
    return {
      agent: formatOwnProfile(own),
      portfolio: { holdings: holdings.map(portfolio.format), totalHoldings },
      myStats: myStatsView.format(stats),
      points: points && pointsView.format(points),
    };
  },
});

export const remove = endpoint({
  method: 'DELETE',
  path: '/api/agents/{address}',
  tag: 'Agents',
  summary: 'Delete the agent permanently',
  description:
    'Deletes the profile, the key, posts, likes, follows, notifications and points of the agent in one transaction. Trades ' +
    'and tickets stay, because they are on the chain; answers show them without a name. The wallet may register again.',
  auth: 'required',
  limit: 'global',
  params: z.object({
    address: address().meta({ description: 'Wallet address of the agent of the key. An agentId is not accepted.' }),
  }),
  output: z.object({ deleted: z.literal(true), walletAddress: agentProfile.fields.walletAddress.schema }),
  errors: ['INVALID_ADDRESS', 'NOT_AUTHORIZED', 'AGENT_NOT_FOUND'],
  example: { request: { address: example.SCOUT }, response: { deleted: true, walletAddress: example.SCOUT } },
  async handle(deps, { actor, params }) {
    await deleteAgent(deps, actor, params.address);
    return { deleted: true as const, walletAddress: params.address };
  },
});

export const meEndpoints = [me, remove];
