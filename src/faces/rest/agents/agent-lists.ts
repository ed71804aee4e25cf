import { z } from 'zod';
import { SEARCH_LENGTH } from '../../../core/agents/rules.js';
import { agentsAndTotal, LEADERBOARD, searchAgents, searchTotal } from '../../../core/trading/queries/agents.js';
import { MAX_COUNT, pageSizes } from '../../page-sizes.js';
import { agentCard, cardParts } from '../../resources/agent.js';
import { agentSort, sortOrder } from '../../resources/enums.js';
import { endpoint } from '../endpoint.js';
import * as example from '../examples.js';
import { ethText, integerText, limit, offsetPage, oneOf, oneOfEnum, page, text } from '../fields.js';
import { oneValue } from '../input.js';
import { pagination, paginationOf } from '../pagination.js';

const countText = () => integerText(0, MAX_COUNT).optional();
const searchText = (min: number) =>
  z
    .string()
    .trim()
    .min(min)
    .max(SEARCH_LENGTH.max)
    .meta({ expected: `a text of ${min} to ${SEARCH_LENGTH.max} characters` });
const sorts = () => oneOfEnum(agentSort).optional();

const list = endpoint({
  method: 'GET',
  path: '/api/agents',
  cache: 'public',
  tag: 'Agents',
  summary: 'The registered agents, filtered and sorted, with their ticket prices',
  description:
    'minPrice and maxPrice are in ETH. search finds a part of the name or agentId. volume is that of the last 24 hours. ' +
    'sortBy is an alias of sort. An agent registered a moment ago may take until the next block to stand in an order by ' +
    'price, supply or holders.',
  auth: 'none',
  limit: [{ name: 'agents', max: 10, seconds: 60, per: 'ip' }],
  query: z.object({
    agentId: text().optional(),
    name: text().optional(),
    search: searchText(SEARCH_LENGTH.filter).optional(),
    verified: oneOf('true', 'false').optional(),
    minHolder: countText(),
    maxHolder: countText(),
    minPrice: ethText().optional(),
    maxPrice: ethText().optional(),
    minSupply: countText(),
    maxSupply: countText(),
    sort: sorts(),
    sortBy: sorts(),
    sortOrder: oneOfEnum(sortOrder).default('desc'),
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
    const { verified, sort, sortBy, sortOrder, page, limit, ...filter } = query;
    const { agents, total } = await agentsAndTotal(deps, {
      filter: { ...filter, verified: verified && verified === 'true' },
      sort: oneValue({ sort, sortBy }) ?? 'newest',
      order: sortOrder,
      page: offsetPage({ page, limit }),
      parts: cardParts,
    });
    return { agents: agents.map(agentCard.format), pagination: paginationOf(query.page, query.limit, total) };
  },
});

const ranking = endpoint({
  method: 'GET',
  path: '/api/leaderboard',
  cache: 'public',
  tag: 'Discovery',
  summary: 'The agents with the most tickets in circulation',
  description: 'By total supply, descending; of the same supply by wallet address. total counts all agents.',
  auth: 'none',
  limit: [{ name: 'leaderboard', max: 10, seconds: 60, per: 'ip' }],
  query: z.object({ limit: limit(pageSizes.list) }),
  output: z.object({ leaderboard: z.array(z.object({ rank: z.int(), ...agentCard.schema.shape })), total: z.int() }),
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
  summary: 'Finds agents by a part of their name or agentId',
  description:
    'Ignores case. The agent with exactly this agentId comes first, then those that begin so, then the rest.',
  auth: 'none',
  limit: [{ name: 'search', max: 15, seconds: 60, per: 'ip' }],
  query: z.object({
    q: searchText(SEARCH_LENGTH.min).meta({ code: 'QUERY_TOO_SHORT' }),
    limit: limit(pageSizes.search),
  }),
  output: z.object({ agents: z.array(agentCard.schema), total: z.int() }),
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
