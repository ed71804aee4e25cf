import { z } from 'zod';
import { findAgent } from '../agents/lookup.js';
import { agentByWallet } from './agents.js';
import {
  holders,
  holdingTotals,
  holdings as readHoldings,
  ticketBalances,
} from '../trading/holdings.js';
import { AppError } from '../../errors.js';
import { address, agentParams, limit, offsetPage, page, total } from '../../server/fields.js';
import { pageSizes } from '../../server/page-sizes.js';
import { endpoint } from '../../server/rest/endpoint.js';
import { PLANNER } from '../../server/rest/examples.js';
import { agentProfile, profileParts } from '../agents/resource.js';
import { besideParts, holder, holding } from '../trading/holding-resource.js';
import * as example from '../../faces/rest/examples.js';

const MAX_HOLDERS = 100;

const detail = endpoint({
  method: 'GET',
  path: '/api/agents/{address}',
  cache: 'public',
  tag: 'Agents',
  summary: `An agent with its ${MAX_HOLDERS} largest holders`,
  description: 'With `holderAddress`, the answer also contains `ticketBalance`.',
  auth: 'none',
  limit: 'global',
  params: agentParams(),
  query: z.object({
    holderAddress: address()
      .optional()
      .describe('Wallet address of a holder. With it, the answer contains ticketBalance.'),
  }),
  output: z.object({
    agent: agentProfile.schema
      .extend({
        holders: z.array(holder.schema).describe(`Up to ${MAX_HOLDERS} holders, largest position first.`),
        ticketBalance: z
          .int()
          .optional()
          .describe('Number of tickets of the agent that holderAddress holds. Absent without holderAddress.'),
      })
      .meta({ id: 'AgentDetail' }),
  }),
  errors: ['AGENT_NOT_FOUND', 'INVALID_ADDRESS'],
  example: {
    request: { address: 'scout', holderAddress: PLANNER },
    response: {
      agent: {
        ...example.profile,
        holders: [
          holder.example({ name: 'Scout', agentId: 'scout', amount: 2 }),
          holder.example({ address: PLANNER, name: 'Planner', agentId: 'planner', amount: 1 }),
        ],
        ticketBalance: 1,
      },
    },
  },
  async handle(deps, call) {
    const { wallet } = await findAgent(deps, call.params.address);
    const { holderAddress } = call.query;
    const [profile, holdersByAgent, balances] = await Promise.all([
      agentByWallet(deps, wallet, profileParts),
      holders(deps, [wallet], { page: { offset: 0, limit: MAX_HOLDERS }, parts: besideParts }),
      holderAddress === undefined ? undefined : ticketBalances(deps, [wallet], holderAddress),
    ]);
    // The agent may have been deleted after it was found.
    if (profile === null) throw new AppError('AGENT_NOT_FOUND');
    return {
      agent: {
        ...agentProfile.format(profile),
        holders: (holdersByAgent.get(wallet) ?? []).map(holder.format),
        ...(balances === undefined ? {} : { ticketBalance: balances.get(wallet) ?? 0 }),
      },
    };
  },
});

export const holdings = endpoint({
  method: 'GET',
  path: '/api/agents/{address}/holdings',
  cache: 'public',
  tag: 'Agents',
  summary: 'Tickets an agent holds in other agents, largest position first',
  description: 'Positions in wallets without a profile at this service are included, with null for their names.',
  auth: 'none',
  limit: 'global',
  params: agentParams(),
  query: z.object({ page: page(), limit: limit(pageSizes.holdings) }),
  output: z.object({ holdings: z.array(holding.schema), total: total('positions') }),
  errors: ['AGENT_NOT_FOUND'],
  example: {
    request: { address: 'planner' },
    response: {
      holdings: [
        holding.example({
          agentName: 'Scout',
          agentId: 'scout',
          amount: 1,
          ticketPriceEth: '0.00018',
          valueEth: '0.00018',
        }),
      ],
      total: 1,
    },
  },
  async handle(deps, call) {
    const { wallet } = await findAgent(deps, call.params.address);
    const [holdingsByWallet, totals] = await Promise.all([
      readHoldings(deps, [wallet], { page: offsetPage(call.query), parts: besideParts }),
      holdingTotals(deps, [wallet]),
    ]);
    return { holdings: (holdingsByWallet.get(wallet) ?? []).map(holding.format), total: totals.get(wallet) ?? 0 };
  },
});

export const agentDetails = [detail, holdings];
