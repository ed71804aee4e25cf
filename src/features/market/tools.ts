import { z } from 'zod';
import { AppError } from '../../errors.js';
import { readLimits } from '../../server/access/limit-rows.js';
import {
  ethText,
  flag,
  integer,
  offsetPage,
  oneOfEnum,
  pageNumber,
  pageSize,
  searchText,
  text,
  total,
} from '../../server/fields.js';
import { tool } from '../../server/mcp/tool.js';
import { toolView } from '../../server/mcp/tool-view.js';
import { MAX_COUNT, pageSizes } from '../../server/page-sizes.js';
import { agentSort, sortOrder } from '../../server/resources/enums.js';
import { agentByWallet } from '../agents/by-wallet.js';
import { findAgent } from '../agents/lookup.js';
import { agentCard, agentProfile, cardParts, profileParts } from '../agents/resource.js';
import { SEARCH_LENGTH } from '../agents/rules.js';
import { agentsAndTotal, LEADERBOARD, searchAgents, searchTotal } from './agents.js';
import { holders } from './holdings.js';
import { besideParts, holder, trend } from './resource.js';
import { trending } from './trending.js';

const MAX_HOLDERS = 20;

const card = toolView(agentCard);

const profile = toolView(agentProfile);

const holderView = toolView(holder);

const trendView = toolView(trend, 'volume');

const count = (description: string) => integer(0, MAX_COUNT).optional().describe(description);

const price = (description: string) => ethText().optional().describe(description);

export const searchTool = tool({
  name: 'search_agents',
  title: 'Search agents',
  description:
    'Finds agents by a part of their name or agentId, ignoring case. An exact match comes first. Use it to turn a name into ' +
    'the wallet address that other tools take.',
  auth: 'none',
  limits: readLimits.search,
  input: z.object({
    query: searchText(SEARCH_LENGTH.min, SEARCH_LENGTH.max).meta({
      code: 'QUERY_TOO_SHORT',
      description: `Part of the name or agentId, ${SEARCH_LENGTH.min} to ${SEARCH_LENGTH.max} characters.`,
    }),
    limit: pageSize(pageSizes.search),
  }),
  output: z.object({ agents: z.array(card.schema), total: total('matching agents') }),
  effect: 'read',
  cache: 'public',
  async read(deps, { args: { query, limit } }) {
    const [agents, found] = await Promise.all([
      searchAgents(deps, { text: query, page: { offset: 0, limit }, parts: cardParts }),
      searchTotal(deps, query),
    ]);
    return { agents: agents.map(card.format), total: found };
  },
});

export const getAgent = tool({
  name: 'get_agent',
  title: 'Get an agent',
  description: `One agent with its ticket price, supply, volume, profile and ${MAX_HOLDERS} largest holders.`,
  auth: 'none',
  limits: [],
  input: z.object({ agent: text().describe('Wallet address, agentId or name of the agent.') }),
  output: z.object({
    agent: profile.schema.extend({
      holders: z.array(holderView.schema).describe(`Up to ${MAX_HOLDERS} holders, largest position first.`),
    }),
  }),
  effect: 'read',
  cache: 'public',
  async read(deps, { args }) {
    const { wallet } = await findAgent(deps, args.agent);
    const [found, holdersByAgent] = await Promise.all([
      agentByWallet(deps, wallet, profileParts),
      holders(deps, [wallet], { page: { offset: 0, limit: MAX_HOLDERS }, parts: besideParts }),
    ]);
    // The agent may have been deleted after it was found.
    if (found === null) throw new AppError('AGENT_NOT_FOUND');
    return { agent: { ...profile.format(found), holders: (holdersByAgent.get(wallet) ?? []).map(holderView.format) } };
  },
});

export const listTool = tool({
  name: 'list_agents',
  title: 'List agents',
  description: 'Agents that match all given filters, sorted, page by page. Without arguments: the newest agents.',
  auth: 'none',
  limits: readLimits.agents,
  input: z.object({
    search: searchText(SEARCH_LENGTH.filter, SEARCH_LENGTH.max)
      .optional()
      .describe('Part of the name or agentId. Ignores case.'),
    verified: flag().optional().describe('true: agents whose owner has claimed them. false: unclaimed agents.'),
    minHolder: count('Minimum number of holders.'),
    maxHolder: count('Maximum number of holders.'),
    minPrice: price('Minimum ticket price, in ETH, for example "0.002".'),
    maxPrice: price('Maximum ticket price, in ETH, for example "0.002".'),
    minSupply: count('Minimum number of tickets in circulation.'),
    maxSupply: count('Maximum number of tickets in circulation.'),
    sort: oneOfEnum(agentSort)
      .default('newest')
      .describe(
        'Sort key. volume: trading volume of the last 24 hours. priceChange24h: change of the ticket price over 24 hours.',
      ),
    sortOrder: oneOfEnum(sortOrder).default('desc').describe('Sort direction.'),
    page: pageNumber(),
    limit: pageSize(pageSizes.list),
  }),
  output: z.object({ agents: z.array(card.schema), total: total('matching agents') }),
  effect: 'read',
  cache: 'public',
  async read(deps, { args }) {
    const { sort, sortOrder: order, page, limit, ...filter } = args;
    const list = { filter, sort, order, page: offsetPage({ page, limit }), parts: cardParts };
    const { agents, total } = await agentsAndTotal(deps, list);
    return { agents: agents.map(card.format), total };
  },
});

export const leaderboard = tool({
  name: 'get_leaderboard',
  title: 'Get the leaderboard',
  description: 'Agents with the most tickets in circulation. get_season has the ranking by points.',
  auth: 'none',
  limits: readLimits.leaderboard,
  input: z.object({ limit: pageSize(pageSizes.list) }),
  output: z.object({
    leaderboard: z.array(z.object({ rank: z.int().describe('Rank, from 1.'), ...card.schema.shape })),
    total: total('ranked agents'),
  }),
  effect: 'read',
  cache: 'public',
  async read(deps, { args: { limit } }) {
    const page = { offset: 0, limit };
    const { agents, total } = await agentsAndTotal(deps, { ...LEADERBOARD, page, parts: cardParts });
    return { leaderboard: agents.map((row, i) => ({ rank: i + 1, ...card.format(row) })), total };
  },
});

export const trendingTool = tool({
  name: 'get_trending',
  title: 'Get trending agents',
  description: 'Agents traded in the last 24 hours, highest trend score first. Empty if nothing was traded.',
  auth: 'none',
  limits: readLimits.trending,
  input: z.object({ limit: pageSize(pageSizes.trends) }),
  output: z.object({
    trending: z.array(trendView.schema),
    total: z.int().describe('Number of agents traded in the last 24 hours.'),
    updatedAt: z.string().describe('Time when the figures were computed, in ISO 8601.'),
  }),
  effect: 'read',
  cache: 'public',
  async read(deps, { args }) {
    const { trends, total, at } = await trending(deps, args.limit);
    const rows = trends.map((row, i) => trendView.format({ ...row, rank: i + 1 }));
    return { trending: rows, total, updatedAt: at.toISOString() };
  },
});
