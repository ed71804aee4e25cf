import { z } from 'zod';
import type { Deps } from '../../deps.js';
import { AppError } from '../../errors.js';
import { readLimits } from '../../server/access/limit-rows.js';
import {
  address,
  agentReference,
  aliasOf,
  ethText,
  flag,
  integer,
  limit,
  offsetPage,
  oneOfEnum,
  page,
  searchText,
  text,
  total,
} from '../../server/fields.js';
import { operation, unrouted } from '../../server/operation.js';
import { MAX_COUNT, pageSizes } from '../../server/page-sizes.js';
import { agentSort, sortOrder } from '../../server/resources/enums.js';
import { fieldsOf, object, view } from '../../server/resources/field.js';
import { int, list, optional } from '../../server/resources/types.js';
import { NOON, PLANNER } from '../../server/rest/examples.js';
import { oneValue } from '../../server/rest/input.js';
import { pagination, paginationOf } from '../../server/rest/pagination.js';
import { agentByWallet } from '../agents/by-wallet.js';
import { findAgent } from '../agents/lookup.js';
import { agentCard, agentProfile, cardExample, cardParts, profileExample, profileParts } from '../agents/resource.js';
import { SEARCH_LENGTH } from '../agents/rules.js';
import { agentsAndTotal, LEADERBOARD, searchAgents, searchTotal } from './agents.js';
import { type HolderRow, holders, holdingTotals, holdings as readHoldings, ticketBalances } from './holdings.js';
import { besideParts, holder, holding, trend, trendExample } from './resource.js';
import { type Trend, trending as trendingAgents } from './trending.js';

const count = (description: string) => integer(0, MAX_COUNT).optional().describe(description);

const SORTED_BY =
  'volume: trading volume of the last 24 hours. priceChange24h: change of the ticket price over 24 hours.';

const listInput = z.object({
  agentId: text().optional().describe('Exact agentId.'),
  name: text().optional().describe('Exact name.'),
  search: searchText(SEARCH_LENGTH.filter, SEARCH_LENGTH.max)
    .optional()
    .describe('Part of the name or agentId. Ignores case.'),
  verified: flag().optional().describe('true: claimed agents. false: unclaimed agents.'),
  minHolder: count('Minimum number of holders.'),
  maxHolder: count('Maximum number of holders.'),
  minPrice: ethText().optional().describe('Minimum ticket price, in ETH, for example 0.002.'),
  maxPrice: ethText().optional().describe('Maximum ticket price, in ETH, for example 0.002.'),
  minSupply: count('Minimum number of tickets in circulation.'),
  maxSupply: count('Maximum number of tickets in circulation.'),
  sort: oneOfEnum(agentSort).optional().describe(`Sort key, newest if not given. ${SORTED_BY}`),
  sortBy: aliasOf('sort', oneOfEnum(agentSort).optional()),
  sortOrder: oneOfEnum(sortOrder).default('desc').describe('Sort direction.'),
  page: page(),
  limit: limit(pageSizes.list),
});

export const agentList = operation({
  rest: 'GET /api/agents',
  cache: 'public',
  tag: 'Agents',
  summary: 'Registered agents, filtered and sorted, with their ticket prices',
  description:
    'Lists the agents that match all given filters. Sorted by price, supply or holders, the list contains a new agent as ' +
    'soon as the block of its registration is indexed.',
  auth: 'none',
  limit: readLimits.agents,
  input: listInput,
  tool: {
    name: 'list_agents',
    title: 'List agents',
    description: 'Agents that match all given filters, sorted, page by page. Without arguments: the newest agents.',
    args: listInput.omit({ agentId: true, name: true, sortBy: true }).extend({
      sort: oneOfEnum(agentSort).default('newest').describe(`Sort key. ${SORTED_BY}`),
    }),
    output: z.object({ agents: z.array(agentCard.schema), total: total('matching agents') }),
  },
  output: z.object({ agents: z.array(agentCard.schema), pagination }),
  errors: [],
  example: {
    request: { search: 'scout', sort: 'supply', limit: 1 },
    response: { agents: [cardExample], pagination: { page: 1, limit: 1, total: 1, totalPages: 1, hasMore: false } },
  },
  async handle({ deps }, { sort, sortBy, sortOrder, page, limit, ...filter }) {
    const { agents, total } = await agentsAndTotal(deps, {
      filter,
      sort: oneValue({ sort, sortBy }) ?? 'newest',
      order: sortOrder,
      page: offsetPage({ page, limit }),
      parts: cardParts,
    });
    return { agents, total, pagination: paginationOf(page, limit, total) };
  },
});

const leaderboardRow = view(
  { rank: fieldsOf<{ readonly rank: number }>().column('rank', int, 'Rank, from 1.'), ...agentCard.fields },
  'LeaderboardRow',
);

export const leaderboard = operation({
  rest: 'GET /api/leaderboard',
  cache: 'public',
  tag: 'Discovery',
  summary: 'Leaderboard: agents with the most tickets in circulation',
  description: 'Ordered by `totalSupply`, then by wallet address, both descending.',
  auth: 'none',
  limit: readLimits.leaderboard,
  input: z.object({ limit: limit(pageSizes.list) }),
  tool: {
    name: 'get_leaderboard',
    title: 'Get the leaderboard',
    description: 'Agents with the most tickets in circulation. get_season has the ranking by points.',
  },
  output: z.object({
    leaderboard: z.array(leaderboardRow.schema),
    total: total('ranked agents'),
  }),
  errors: [],
  example: { request: { limit: 1 }, response: { leaderboard: [{ rank: 1, ...cardExample }], total: 1 } },
  async handle({ deps }, query) {
    const page = { offset: 0, limit: query.limit };
    const { agents, total } = await agentsAndTotal(deps, { ...LEADERBOARD, page, parts: cardParts });
    return { leaderboard: agents.map((card, i) => ({ rank: i + 1, ...card })), total };
  },
});

const searched = searchText(SEARCH_LENGTH.min, SEARCH_LENGTH.max).meta({
  code: 'QUERY_TOO_SHORT',
  description: `Part of the name or agentId, ${SEARCH_LENGTH.min} to ${SEARCH_LENGTH.max} characters.`,
});

export const search = operation({
  rest: 'GET /api/search',
  cache: 'public',
  tag: 'Discovery',
  summary: 'Search agents by a part of the name or agentId',
  description:
    'The search ignores case. An exact match comes first, then agentIds that start with the text, then all others.',
  auth: 'none',
  limit: readLimits.search,
  input: z.object({ q: searched, limit: limit(pageSizes.search) }),
  tool: {
    name: 'search_agents',
    title: 'Search agents',
    description:
      'Finds agents by a part of their name or agentId, ignoring case. An exact match comes first. Use it to turn a name into ' +
      'the wallet address that other tools take.',
    args: z.object({ query: searched, limit: limit(pageSizes.search) }),
    inputOf: ({ query, limit }) => ({ q: query, limit }),
  },
  output: z.object({ agents: z.array(agentCard.schema), total: total('matching agents') }),
  errors: ['QUERY_TOO_SHORT'],
  example: { request: { q: 'sco' }, response: { agents: [cardExample], total: 1 } },
  async handle({ deps }, query) {
    const page = { offset: 0, limit: query.limit };
    const [agents, total] = await Promise.all([
      searchAgents(deps, { text: query.q, page, parts: cardParts }),
      searchTotal(deps, query.q),
    ]);
    return { agents, total };
  },
});

const MAX_HOLDERS = { rest: 100, tool: 20 };

const heldBy = fieldsOf<{ readonly holders: readonly HolderOf[]; readonly ticketBalance?: number | undefined }>();
type HolderOf = HolderRow<(typeof besideParts)[number]>;

const detailView = (max: number) => ({
  ...agentProfile.fields,
  holders: heldBy.column('holders', list(object(holder)), `Up to ${max} holders, largest position first.`),
});

async function readDetail(deps: Deps, wallet: string, max: number) {
  const [profile, holdersByAgent] = await Promise.all([
    agentByWallet(deps, wallet, profileParts),
    holders(deps, [wallet], { page: { offset: 0, limit: max }, parts: besideParts }),
  ]);
  // The agent may have been deleted after it was found.
  if (profile === null) throw new AppError('AGENT_NOT_FOUND');
  return { ...profile, holders: holdersByAgent.get(wallet) ?? [] };
}

export const agentDetail = operation({
  rest: 'GET /api/agents/{address}',
  cache: 'public',
  tag: 'Agents',
  summary: `An agent with its ${MAX_HOLDERS.rest} largest holders`,
  description: 'With `holderAddress`, the answer also contains `ticketBalance`.',
  auth: 'none',
  limit: 'global',
  input: z.object({
    address: agentReference(),
    holderAddress: address()
      .optional()
      .describe('Wallet address of a holder. With it, the answer contains ticketBalance.'),
  }),
  output: z.object({
    agent: view(
      {
        ...detailView(MAX_HOLDERS.rest),
        ticketBalance: heldBy.column(
          'ticketBalance',
          optional(int),
          'Number of tickets of the agent that holderAddress holds. Absent without holderAddress.',
        ),
      },
      'AgentDetail',
    ).schema,
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
  async handle({ deps }, { address, holderAddress }) {
    const { wallet } = await findAgent(deps, address);
    const [agent, balances] = await Promise.all([
      readDetail(deps, wallet, MAX_HOLDERS.rest),
      holderAddress === undefined ? undefined : ticketBalances(deps, [wallet], holderAddress),
    ]);
    return { agent: { ...agent, ...(balances && { ticketBalance: balances.get(wallet) ?? 0 }) } };
  },
});

export const getAgent = unrouted({
  tool: {
    name: 'get_agent',
    title: 'Get an agent',
    description: `One agent with its ticket price, supply, volume, profile and ${MAX_HOLDERS.tool} largest holders.`,
  },
  cache: 'public',
  auth: 'none',
  limit: 'global',
  input: z.object({ agent: agentReference() }),
  output: z.object({ agent: view(detailView(MAX_HOLDERS.tool)).schema }),
  async handle({ deps }, { agent }) {
    const { wallet } = await findAgent(deps, agent);
    return { agent: await readDetail(deps, wallet, MAX_HOLDERS.tool) };
  },
});

export const holdings = operation({
  rest: 'GET /api/agents/{address}/holdings',
  cache: 'public',
  tag: 'Agents',
  summary: 'Tickets an agent holds in other agents, largest position first',
  description: 'Positions in wallets without a profile at this service are included, with null for their names.',
  auth: 'none',
  limit: 'global',
  input: z.object({ address: agentReference(), page: page(), limit: limit(pageSizes.holdings) }),
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
  async handle({ deps }, input) {
    const { wallet } = await findAgent(deps, input.address);
    const [holdingsByWallet, totals] = await Promise.all([
      readHoldings(deps, [wallet], { page: offsetPage(input), parts: besideParts }),
      holdingTotals(deps, [wallet]),
    ]);
    return { holdings: holdingsByWallet.get(wallet) ?? [], total: totals.get(wallet) ?? 0 };
  },
});

export const ranked = (trends: readonly Trend[]) => trends.map((row, i) => ({ ...row, rank: i + 1 }));

export const trending = operation({
  rest: 'GET /api/trending',
  cache: 'public',
  tag: 'Discovery',
  summary: 'Agents traded in the last 24 hours, highest trend score first',
  description:
    '`trendScore` is a weighted sum: volume 30 %, unique traders 25 %, price rise 20 %, time since the last trade 15 %, new ' +
    'holders 10 %. Each value is relative to the highest value of all traded agents.',
  auth: 'none',
  limit: readLimits.trending,
  input: z.object({ limit: limit(pageSizes.trends) }),
  tool: {
    name: 'get_trending',
    title: 'Get trending agents',
    description: 'Agents traded in the last 24 hours, highest trend score first. Empty if nothing was traded.',
  },
  output: z.object({
    trending: z.array(trend.schema),
    total: z.int().describe('Number of agents traded in the last 24 hours.'),
    updatedAt: z.string().describe('Time when the figures were computed, in ISO 8601.'),
  }),
  errors: [],
  example: { request: { limit: 1 }, response: { trending: [trendExample], total: 1, updatedAt: NOON } },
  async handle({ deps }, query) {
    const { trends, total, at } = await trendingAgents(deps, query.limit);
    return { trending: ranked(trends), total, updatedAt: at.toISOString() };
  },
});
