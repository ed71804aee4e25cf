import { z } from 'zod';
import { SEARCH_LENGTH } from '../agents/rules.js';
import { agentsAndTotal, LEADERBOARD, searchAgents, searchTotal } from './agents.js';
import { readLimits } from '../../server/access/limit-rows.js';
import {
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
import { endpoint } from '../../server/rest/endpoint.js';
import { oneValue } from '../../server/rest/input.js';
import { pagination, paginationOf } from '../../server/rest/pagination.js';
import { agentCard, cardParts } from '../agents/resource.js';
import { agentSort, sortOrder } from '../../server/resources/enums.js';
import * as example from '../../faces/rest/examples.js';

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
    response: { agents: [example.card], pagination: { page: 1, limit: 1, total: 1, totalPages: 1, hasMore: false } },
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
  example: { request: { limit: '1' }, response: { leaderboard: [{ rank: 1, ...example.card }], total: 1 } },
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
  example: { request: { q: 'sco' }, response: { agents: [example.card], total: 1 } },
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
