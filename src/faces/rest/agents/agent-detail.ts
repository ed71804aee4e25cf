import { z } from 'zod';
import { PROFILE_PARTS } from '../../../core/agents/queries/agent-row.js';
import { findAgent } from '../../../core/agents/queries/lookup.js';
import { unitPrice } from '../../../core/pricing/rules.js';
import { agentByWallet } from '../../../core/trading/queries/agents.js';
import {
  holders,
  holdingTotals,
  holdings as readHoldings,
  ticketBalances,
} from '../../../core/trading/queries/holdings.js';
import { AppError } from '../../../errors.js';
import { formatEth } from '../../../money.js';
import { address as addressShape, agentProfile, eth, formatProfile, time } from '../../resources/shapes.js';
import { endpoint } from '../endpoint.js';
import * as example from '../examples.js';
import { address, limit, offsetPage, page, text } from '../fields.js';

const MAX_HOLDERS = 100;
const NAMES = ['name', 'agentId', 'avatarUrl'] as const;

const params = z.object({
  address: text().meta({ description: 'A wallet address, an agentId or a name' }),
});

const holder = z.object({
  address: addressShape,
  name: z.string().nullable(),
  agentId: z.string().nullable(),
  avatarUrl: z.string().nullable(),
  amount: z.int(),
  since: time,
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
    agent: agentProfile.extend({ holders: z.array(holder), ticketBalance: z.int().optional() }),
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
    const { holderAddress } = call.query;
    const [profile, held, balances] = await Promise.all([
      agentByWallet(deps, wallet, PROFILE_PARTS),
      holders(deps, [wallet], { page: { offset: 0, limit: MAX_HOLDERS }, parts: NAMES }),
      holderAddress === undefined ? undefined : ticketBalances(deps, [wallet], holderAddress),
    ]);
    // The agent may have been deleted after it was found.
    if (profile === null) throw new AppError('AGENT_NOT_FOUND');
    return {
      agent: {
        ...formatProfile(profile),
        holders: (held.get(wallet) ?? []).map(({ holder, amount, since, holderRow }) => ({
          address: holder,
          name: holderRow?.name ?? null,
          agentId: holderRow?.agentId ?? null,
          avatarUrl: holderRow?.avatarUrl ?? null,
          amount,
          since: since.toISOString(),
        })),
        ...(balances === undefined ? {} : { ticketBalance: balances.get(wallet) ?? 0 }),
      },
    };
  },
});

const holding = z.object({
  agentAddress: addressShape,
  agentName: z.string().nullable(),
  agentId: z.string().nullable(),
  agentAvatarUrl: z.string().nullable(),
  amount: z.int(),
  ticketPriceEth: eth,
  valueEth: eth.meta({ description: 'amount at ticketPriceEth: an estimate, since selling lowers the price' }),
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
  query: z.object({ page: page(), limit: limit(100, 100) }),
  output: z.object({ holdings: z.array(holding), total: z.int() }),
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
    const [held, totals] = await Promise.all([
      readHoldings(deps, [wallet], { page: offsetPage(call.query), parts: NAMES }),
      holdingTotals(deps, [wallet]),
    ]);
    return {
      holdings: (held.get(wallet) ?? []).map(({ agent, amount, supply, agentRow }) => {
        const price = unitPrice(BigInt(supply));
        return {
          agentAddress: agent,
          agentName: agentRow?.name ?? null,
          agentId: agentRow?.agentId ?? null,
          agentAvatarUrl: agentRow?.avatarUrl ?? null,
          amount,
          ticketPriceEth: formatEth(price),
          valueEth: formatEth(price * BigInt(amount)),
        };
      }),
      total: totals.get(wallet) ?? 0,
    };
  },
});

export const agentDetails = [detail, holdings];
