import { z } from 'zod';
import * as inputs from '../../../server/inputs.js';
import { operation } from '../../../server/operation.js';
import { fieldsOf, view } from '../../../server/resources/field.js';
import { int } from '../../../server/resources/types.js';
import { NOON } from '../../examples.js';
import { agentCard, cardExample } from '../resource.js';
import { SEARCH_LENGTH } from '../rules.js';
import { agentsAndTotal, LEADERBOARD, type Trend, trendingAgents } from './agents.js';
import { agentSort, sortOrder, trend, trendExample } from './resource.js';
import { searchAgents, searchTotal } from './search.js';

export const searchPage: inputs.PageSize = { fallback: 20, max: 50 };
export const trendPage: inputs.PageSize = { fallback: 20, max: 50 };
export const topAgentPage: inputs.PageSize = { fallback: 5, max: 20 };

const count = (description: string) => inputs.integer(0, inputs.MAX_COUNT).optional().describe(description);

const SORTED_BY = 'Volume and price change are those of the last 24 hours.';

const listInput = z.object({
  agentId: inputs.anyText().optional().describe('Only the agent with exactly this agentId.'),
  name: inputs.anyText().optional().describe('Only the agent with exactly this name.'),
  search: inputs
    .searchText(SEARCH_LENGTH.filter, SEARCH_LENGTH.max)
    .optional()
    .describe(
      `Only agents whose name or agentId contains this text, ${SEARCH_LENGTH.filter} to ${SEARCH_LENGTH.max} characters. Case is ignored.`,
    ),
  verified: inputs.trueOrFalse().optional().describe('true: only claimed agents. false: only unclaimed agents.'),
  minHolder: count('Minimum number of holders.'),
  maxHolder: count('Maximum number of holders.'),
  minPrice: inputs.ethText().optional().describe('Minimum ticket price, in ETH, for example 0.002.'),
  maxPrice: inputs.ethText().optional().describe('Maximum ticket price, in ETH, for example 0.002.'),
  minSupply: count('Minimum number of tickets in circulation.'),
  maxSupply: count('Maximum number of tickets in circulation.'),
  sort: inputs.oneOfEnum(agentSort).optional().describe(`Sort key, newest if not given. ${SORTED_BY}`),
  sortBy: inputs.aliasOf('sort', inputs.oneOfEnum(agentSort).optional()),
  sortOrder: inputs.oneOfEnum(sortOrder).default('desc').describe('Sort direction.'),
  page: inputs.page(),
  limit: inputs.limit(),
});

/** Fields of the input that filter and sort agents, for GraphQL and for the MCP tool. */
export const agentFilter = listInput.omit({ sortBy: true, page: true, limit: true }).extend({
  sort: inputs.oneOfEnum(agentSort).default('newest').describe(`Sort key. ${SORTED_BY}`),
});

export const agentList = operation({
  rest: 'GET /api/agents',
  cache: 'public',
  tag: 'Agents',
  summary: 'Registered agents with their ticket prices',
  description:
    'Lists the agents that match all given filters. Sorted by price, supply or holders, the list contains a new agent as ' +
    'soon as the block of its registration is indexed. An address may send 10 of these requests in a minute: read long lists ' +
    'with `limit=100`, or over GraphQL, whose limit counts points.',
  auth: 'none',
  limit: [
    {
      name: 'agents',
      max: 10,
      seconds: 60,
      per: 'ip',
      advice: 'Wait <seconds> seconds. limit=100 reads more agents with each request, and GraphQL has a limit of its own',
    },
  ],
  input: listInput,
  tool: {
    name: 'list_agents',
    title: 'List agents',
    description: 'Agents that match all given filters, sorted, page by page. Without arguments: the newest agents.',
    args: agentFilter.omit({ agentId: true, name: true }).extend(listInput.pick({ page: true, limit: true }).shape),
    output: z.object({ agents: z.array(agentCard.schema), total: inputs.total('matching agents') }),
  },
  output: z.object({ agents: z.array(agentCard.schema), pagination: inputs.pagination }),
  samples: {
    client: "curvet.agents.list({ search: 'scout', sort: 'supply' }).take(5)",
    graphql: '{ agents(search: "scout", sort: SUPPLY, first: 5) { nodes { name totalSupply } } }',
  },
  example: {
    request: { search: 'scout', sort: 'supply', limit: 1 },
    response: { agents: [cardExample], pagination: { page: 1, limit: 1, total: 1, totalPages: 1, hasMore: false } },
  },
  async handle({ deps }, { sort, sortBy, sortOrder, page, limit, ...filter }) {
    const order = { sort: inputs.oneValue({ sort, sortBy }) ?? 'newest', order: sortOrder };
    const listed = { ...order, filter, page: inputs.offsetPage({ page, limit }), names: agentCard.parts };
    const { agents, total } = await agentsAndTotal(deps, listed);
    return { agents, total, pagination: inputs.paginationOf(page, limit, total) };
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
  summary: 'Agents with the most tickets in circulation',
  description: 'Ordered by `totalSupply`, then by wallet address, both descending.',
  auth: 'none',
  limit: [{ name: 'leaderboard', max: 10, seconds: 60, per: 'ip' }],
  input: z.object({ limit: inputs.limit() }),
  tool: {
    name: 'get_leaderboard',
    title: 'Get the leaderboard',
    description: 'Agents with the most tickets in circulation. get_season has the ranking by points.',
  },
  output: z.object({
    leaderboard: z.array(leaderboardRow.schema),
    total: inputs.total('ranked agents'),
  }),
  samples: {
    client: 'curvet.agents.leaderboard().take(5)',
    graphql: '{ leaderboard(first: 5) { nodes { rank agent { name ticketPriceEth } } } }',
  },
  example: { request: { limit: 1 }, response: { leaderboard: [{ rank: 1, ...cardExample }], total: 1 } },
  async handle({ deps }, query) {
    const page = { offset: 0, limit: query.limit };
    const { agents, total } = await agentsAndTotal(deps, { ...LEADERBOARD, page, names: agentCard.parts });
    return { leaderboard: agents.map((card, i) => ({ rank: i + 1, ...card })), total };
  },
});

const searched = inputs.searchText(SEARCH_LENGTH.min, SEARCH_LENGTH.max).meta({
  code: 'QUERY_TOO_SHORT',
  description: `Part of the name or agentId, start of the wallet, or @handle, ${SEARCH_LENGTH.min} to ${SEARCH_LENGTH.max} characters.`,
});

export const search = operation({
  rest: 'GET /api/search',
  cache: 'public',
  tag: 'Discovery',
  summary: 'Search agents by name, agentId, address or handle',
  description:
    'The search ignores case. An exact match comes first, then agentIds that start with the text, then all others. The ' +
    "text may also be a wallet address or its start (0x and at least 4 digits), or @ and the whole handle of the agent's " +
    'owner on X.',
  auth: 'none',
  limit: [{ name: 'search', max: 15, seconds: 60, per: 'ip' }],
  input: z.object({ q: searched, limit: inputs.limit(searchPage) }),
  tool: {
    name: 'search_agents',
    title: 'Search agents',
    description:
      'Finds agents, ignoring case. An exact match comes first. Use it to turn a name into ' +
      'the wallet address that other tools take.',
    names: { q: 'query' },
  },
  output: z.object({ agents: z.array(agentCard.schema), total: inputs.total('matching agents') }),
  errors: ['QUERY_TOO_SHORT'],
  samples: {
    client: "curvet.agents.search('sco').take(5)",
    graphql: '{ search(q: "sco", first: 5) { nodes { name agentId } } }',
  },
  example: { request: { q: 'sco' }, response: { agents: [cardExample], total: 1 } },
  async handle({ deps }, query) {
    const asked = { text: query.q, hasSimilar: false };
    const page = { offset: 0, limit: query.limit } as const;
    const [agents, total] = await Promise.all([
      searchAgents(deps, { ...asked, page, names: agentCard.parts }),
      searchTotal(deps, asked),
    ]);
    return { agents, total };
  },
});

export const ranked = (trends: readonly Trend[]) => trends.map((row, i) => ({ ...row, rank: i + 1 }));

export const trending = operation({
  rest: 'GET /api/trending',
  cache: 'public',
  tag: 'Discovery',
  summary: 'Agents traded in the last 24 hours, hottest first',
  description:
    '`trendScore` is a weighted sum: volume 30 %, unique traders 25 %, price rise 20 %, time since the last trade 15 %, new ' +
    'holders 10 %. Each value is relative to the highest value of all traded agents.',
  auth: 'none',
  limit: [{ name: 'trending', max: 10, seconds: 60, per: 'ip' }],
  input: z.object({ limit: inputs.limit(trendPage) }),
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
  samples: {
    client: 'curvet.agents.trending().take(5)',
    graphql: '{ trending(first: 5) { nodes { rank trendScore agent { name } } } }',
  },
  example: { request: { limit: 1 }, response: { trending: [trendExample], total: 1, updatedAt: NOON } },
  async handle({ deps }, query) {
    const { trends, total, at } = await trendingAgents(deps, query.limit);
    return { trending: ranked(trends), total, updatedAt: at.toISOString() };
  },
});
