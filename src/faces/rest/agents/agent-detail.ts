import { z } from 'zod';
import { findAgent } from '../../../core/agents/queries.js';
import { agentDetail, holdingsOf } from '../../../core/trading/queries/holdings.js';
import { AppError } from '../../../errors.js';
import { pageSizes } from '../../page-sizes.js';
import { agentProfile } from '../../resources/agent.js';
import { holderView, holdingView } from '../../resources/holding.js';
import { endpoint } from '../endpoint.js';
import * as example from '../examples.js';
import { address, limit, page, text } from '../fields.js';

const params = z.object({
  address: text().meta({ description: 'A wallet address, an agentId or a name' }),
});

const detail = endpoint({
  method: 'GET',
  path: '/api/agents/{address}',
  cache: 'public',
  tag: 'Agents',
  summary: 'One agent and its 100 largest holders',
  description: 'With holderAddress also ticketBalance, what that wallet holds of the agent.',
  auth: 'none',
  limit: 'global',
  params,
  query: z.object({ holderAddress: address().optional() }),
  output: z.object({
    agent: agentProfile.schema.extend({ holders: z.array(holderView.schema), ticketBalance: z.int().optional() }),
  }),
  errors: ['AGENT_NOT_FOUND', 'INVALID_ADDRESS'],
  example: {
    request: { address: 'scout', holderAddress: example.PLANNER },
    response: {
      agent: {
        ...example.profile,
        holders: [
          { address: example.SCOUT, name: 'Scout', agentId: 'scout', avatarUrl: null, amount: 2, since: example.NOON },
          {
            address: example.PLANNER,
            name: 'Planner',
            agentId: 'planner',
            avatarUrl: null,
            amount: 1,
            since: example.NOON,
          },
        ],
        ticketBalance: 1,
      },
    },
  },
  async handle(deps, call) {
    const { wallet } = await findAgent(deps, call.params.address);
    const found = await agentDetail(deps, wallet, call.query.holderAddress);
    // Deleted in between.
    if (found === null) throw new AppError('AGENT_NOT_FOUND');
    const { profile, holders, ticketBalance } = found;
    return {
      agent: {
        ...agentProfile.format(profile),
        holders: holders.map(holderView.format),
        ...(ticketBalance === undefined ? {} : { ticketBalance }),
      },
    };
  },
});

export const holdings = endpoint({
  method: 'GET',
  path: '/api/agents/{address}/holdings',
  cache: 'public',
  tag: 'Agents',
  summary: 'The tickets in other agents that an agent holds, the most first',
  description: 'Names are null where the agent has no profile here. total counts all, on whichever page.',
  auth: 'none',
  limit: 'global',
  params,
  query: z.object({ page: page(), limit: limit(pageSizes.holdings) }),
  output: z.object({ holdings: z.array(holdingView.schema), total: z.int() }),
  errors: ['AGENT_NOT_FOUND'],
  example: {
    request: { address: 'planner' },
    response: {
      holdings: [
        {
          agentAddress: example.SCOUT,
          agentName: 'Scout',
          agentId: 'scout',
          agentAvatarUrl: null,
          amount: 1,
          ticketPriceEth: '0.00018',
          valueEth: '0.00018',
        },
      ],
      total: 1,
    },
  },
  async handle(deps, call) {
    const { wallet } = await findAgent(deps, call.params.address);
    const { holdings: rows, total } = await holdingsOf(deps, wallet, call.query);
    return { holdings: rows.map(holdingView.format), total };
  },
});

export const agentDetails = [detail, holdings];
