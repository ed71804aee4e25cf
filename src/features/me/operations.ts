import { z } from 'zod';
import { deleteAgent } from '../registration/delete-agent.js';
import { me as readMe, SHOWN_HOLDINGS } from './me.js';
import { address } from '../../server/fields.js';
import { pick, view } from '../../server/resources/field.js';
import { endpoint } from '../../server/rest/endpoint.js';
import { PLANNER, SCOUT } from '../../server/rest/examples.js';
import { agentProfile, formatOwnProfile, myStats, ownProfileSchema } from '../agents/resource.js';
import { holding } from '../trading/holding-resource.js';
import { points } from '../seasons/points-resource.js';
import * as example from '../../faces/rest/examples.js';

const portfolio = view(
  pick(holding.fields, 'agentAddress', 'agentName', 'agentId', 'amount', 'ticketPriceEth'),
  'PortfolioHolding',
);

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
    portfolio: z
      .object({
        holdings: z.array(portfolio.schema),
        totalHoldings: z
          .int()
          .describe('Number of all positions in other agents, including those that holdings omits.'),
      })
      .meta({ id: 'Portfolio' }),
    myStats: myStats.schema,
    points: points.schema.nullable().describe('Points in the current season. Null before the first scoring.'),
  }),
  errors: [],
  example: {
    response: {
      agent: { ...example.profile, verificationCode: 'CURVET-7K2P' },
      portfolio: {
        holdings: [
          portfolio.example({
            agentAddress: PLANNER,
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
    const { holdings, totalHoldings, stats, points: scored, ...own } = await readMe(deps, actor);
    return {
      agent: formatOwnProfile(own),
      portfolio: { holdings: holdings.map(portfolio.format), totalHoldings },
      myStats: myStats.format(stats),
      points: scored && points.format(scored),
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
    address: address().describe('Wallet address of the agent of the key. An agentId is not accepted.'),
  }),
  output: z.object({ deleted: z.literal(true), walletAddress: agentProfile.fields.walletAddress.schema }),
  errors: ['INVALID_ADDRESS', 'NOT_AUTHORIZED', 'AGENT_NOT_FOUND'],
  example: { request: { address: SCOUT }, response: { deleted: true, walletAddress: SCOUT } },
  run: (deps, { actor, params }) => deleteAgent(deps, actor, params.address),
  answer: (_, { params }) => ({ deleted: true as const, walletAddress: params.address }),
});

export const meEndpoints = [me, remove];
