import { z } from 'zod';
import { type Trend, trending as trendingAgents } from './trending.js';
import { readLimits } from '../../server/access/limit-rows.js';
import { limit } from '../../server/fields.js';
import { pageSizes } from '../../server/page-sizes.js';
import { endpoint } from '../../server/rest/endpoint.js';
import { NOON } from '../../server/rest/examples.js';
import { trend } from './resource.js';
import * as example from '../../faces/rest/examples.js';

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
  example: { request: { limit: '1' }, response: { trending: [example.trend], total: 1, updatedAt: NOON } },
  async handle(deps, { query }) {
    const { trends, total, at } = await trendingAgents(deps, query.limit);
    return { trending: formatTrends(trends), total, updatedAt: at.toISOString() };
  },
});
