import { z } from 'zod';
import { AppError } from '../../errors.js';
import { readLimits } from '../../server/access/limit-rows.js';
import {
  address,
  agentParams,
  aliasOf,
  ethText,
  flagText,
  integerText,
  limit,
  offsetPage,
  oneOfEnum,
  page,
  searchText,
  text,
  total,
} from '../../server/fields.js';
import { MAX_COUNT, pageSizes } from '../../server/page-sizes.js';
import { agentSort, sortOrder } from '../../server/resources/enums.js';
import { endpoint } from '../../server/rest/endpoint.js';
import { NOON, PLANNER } from '../../server/rest/examples.js';
import { oneValue } from '../../server/rest/input.js';
import { pagination, paginationOf } from '../../server/rest/pagination.js';
import { agentByWallet } from '../agents/by-wallet.js';
import { findAgent } from '../agents/lookup.js';
import { agentCard, agentProfile, cardExample, cardParts, profileExample, profileParts } from '../agents/resource.js';
import { SEARCH_LENGTH } from '../agents/rules.js';
import { agentsAndTotal, LEADERBOARD, searchAgents, searchTotal } from './agents.js';
import { holders, holdingTotals, holdings as readHoldings, ticketBalances } from './holdings.js';
import { besideParts, holder, holding, trend, trendExample } from './resource.js';
import { type Trend, trending as trendingAgents } from './trending.js';

const countText = (description: string) => integerText(0, MAX_COUNT).optional().describe(description);
const sorts = (description: string) => oneOfEnum(agentSort).optional().describe(description);

const list = endpoint({
  method: 'GET',
  path: '/api/agents',
  cache: 'public',
  tag: 'Agents',
  summary: 'Registered agents, filtered and sorted, with their ticket prices',
  description:
    'Lists the agents that match all given filters. Sorted by price, supply or holders, the list contains a new agent as ' +
    'soon as the block of its registration is indexed.',
  auth: 'none',
  limit: readLimits.agents,
  query: z.object({
    agentId: text().optional().describe('Exact agentId.'),
    name: text().optional().describe('Exact name.'),
    search: searchText(SEARCH_LENGTH.filter, SEARCH_LENGTH.max)
      .optional()
      .describe('Part of the name or agentId. Ignores case.'),
    verified: flagText().optional().describe('true: claimed agents. false: unclaimed agents.'),
    minHolder: countText('Minimum number of holders.'),
    maxHolder: countText('Maximum number of holders.'),
    minPrice: ethText().optional().describe('Minimum ticket price, in ETH, for example 0.002.'),
    maxPrice: ethText().optional().describe('Maximum ticket price, in ETH, for example 0.002.'),
    minSupply: countText('Minimum number of tickets in circulation.'),
    maxSupply: countText('Maximum number of tickets in circulation.'),
    sort: sorts(
      'Sort key, newest if not given. volume: trading volume of the last 24 hours. priceChange24h: change of the ticket price over 24 hours.',
    ),
    sortBy: aliasOf('sort', oneOfEnum(agentSort).optional()),
    sortOrder: oneOfEnum(sortOrder).default('desc').describe('Sort direction.'),
    page: page(),
    limit: limit(pageSizes.list),
  }),
  output: z.object({ agents: z.array(agentCard.schema), pagination }),
  errors: [],
  example: {
    request: { search: 'scout', sort: 'supply', limit: '1' },
    response: { agents: [cardExample], pagination: { page: 1, limit: 1, total: 1, totalPages: 1, hasMore: false } },
  },
  async handle(deps, { query }) {
    const { sort, sortBy, sortOrder, page, limit, ...filter } = query;
    const { agents, total } = await agentsAndTotal(deps, {
      filter,
      sort: oneValue({ sort, sortBy }) ?? 'newest',
      order: sortOrder,
      page: offsetPage({ page, limit }),
      parts: cardParts,
    });
    return { agents: agents.map(agentCard.format), pagination: paginationOf(query.page, query.limit, total) };
  },
});

const leaderboardRow = z
  .object({ rank: z.int().describe('Rank, from 1.'), ...agentCard.schema.shape })
  .meta({ id: 'LeaderboardRow' });

const ranking = endpoint({
  method: 'GET',
  path: '/api/leaderboard',
  cache: 'public',
  tag: 'Discovery',
  summary: 'Leaderboard: agents with the most tickets in circulation',
  description: 'Ordered by `totalSupply`, then by wallet address, both descending.',
  auth: 'none',
  limit: readLimits.leaderboard,
  query: z.object({ limit: limit(pageSizes.list) }),
  output: z.object({
    leaderboard: z.array(leaderboardRow),
    total: total('ranked agents'),
  }),
  errors: [],
  example: { request: { limit: '1' }, response: { leaderboard: [{ rank: 1, ...cardExample }], total: 1 } },
  async handle(deps, { query }) {
    const page = { offset: 0, limit: query.limit };
    const { agents, total } = await agentsAndTotal(deps, { ...LEADERBOARD, page, parts: cardParts });
    return { leaderboard: agents.map((card, i) => ({ rank: i + 1, ...agentCard.format(card) })), total };
  },
});

const search = endpoint({
  method: 'GET',
  path: '/api/search',
  cache: 'public',
  tag: 'Discovery',
  summary: 'Search agents by a part of the name or agentId',
  description:
    'The search ignores case. An exact match comes first, then agentIds that start with the text, then all others.',
  auth: 'none',
  limit: readLimits.search,
  query: z.object({
    q: searchText(SEARCH_LENGTH.min, SEARCH_LENGTH.max).meta({
      code: 'QUERY_TOO_SHORT',
      description: `Part of the name or agentId, ${SEARCH_LENGTH.min} to ${SEARCH_LENGTH.max} characters.`,
    }),
    limit: limit(pageSizes.search),
  }),
  output: z.object({ agents: z.array(agentCard.schema), total: total('matching agents') }),
  errors: ['QUERY_TOO_SHORT'],
  example: { request: { q: 'sco' }, response: { agents: [cardExample], total: 1 } },
  async handle(deps, { query }) {
    const page = { offset: 0, limit: query.limit };
    const [agents, total] = await Promise.all([
      searchAgents(deps, { text: query.q, page, parts: cardParts }),
      searchTotal(deps, query.q),
    ]);
    return { agents: agents.map(agentCard.format), total };
  },
});

export const agentLists = [list, ranking, search];

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
        ...profileExample,
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

export const formatTrends = (trends: readonly Trend[]) => trends.map((row, i) => trend.format({ ...row, rank: i + 1 }));

export const trending = endpoint({
  method: 'GET',
  path: '/api/trending',
  cache: 'public',
  tag: 'Discovery',
  summary: 'Agents traded in the last 24 hours, highest trend score first',
  description:
    '`trendScore` is a weighted sum: volume 30 %, unique traders 25 %, price rise 20 %, time since the last trade 15 %, new ' +
    'holders 10 %. Each value is relative to the highest value of all traded agents.',
  auth: 'none',
  limit: readLimits.trending,
  query: z.object({ limit: limit(pageSizes.trends) }),
  output: z.object({
    trending: z.array(trend.schema),
    total: z.int().describe('Number of agents traded in the last 24 hours.'),
    updatedAt: z.string().describe('Time when the figures were computed, in ISO 8601.'),
  }),
  errors: [],
  example: { request: { limit: '1' }, response: { trending: [trendExample], total: 1, updatedAt: NOON } },
  async handle(deps, { query }) {
    const { trends, total, at } = await trendingAgents(deps, query.limit);
    return { trending: formatTrends(trends), total, updatedAt: at.toISOString() };
  },
});
