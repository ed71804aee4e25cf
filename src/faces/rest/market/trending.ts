import { z } from 'zod';
import { type Trend, trending as trendingAgents } from '../../../core/trading/queries/trending.js';
import { ethNumber, formatEth } from '../../../money.js';
import { address, eth, time } from '../../resources/shapes.js';
import { endpoint } from '../endpoint.js';
import * as example from '../examples.js';
import { limit } from '../fields.js';

export const trend = z.object({
  rank: z.int(),
  agent: z.object({
    id: address,
    name: z.string(),
    agentId: z.string(),
    avatarUrl: z.string().nullable(),
    totalSupply: z.int(),
    holderCount: z.int(),
    isClaimed: z.boolean(),
  }),
  ticketPriceEth: eth,
  priceChange24h: z.number().meta({ description: 'Percent, against 24 hours ago, or registration if later' }),
  volume: z.number().meta({ description: 'Curve price of the trades of the last 24 hours, in ETH' }),
  volume24h: z.number().meta({ description: 'The same as volume' }),
  txCount: z.int(),
  uniqueTraders: z.int(),
  newHolders24h: z.int(),
  trendScore: z.int().meta({ description: '0 to 100' }),
  lastTradeAt: time,
});

export function formatTrend(entry: Trend, i: number): z.input<typeof trend> {
  const { wallet, name, agentId, avatarUrl, supply, holderCount, isClaimed } = entry;
  return {
    rank: i + 1,
    agent: { id: wallet, name, agentId, avatarUrl, totalSupply: supply, holderCount, isClaimed },
    ticketPriceEth: formatEth(entry.ticketPrice),
    priceChange24h: entry.priceChange24h,
    volume: ethNumber(entry.volume),
    volume24h: ethNumber(entry.volume),
    txCount: entry.txCount,
    uniqueTraders: entry.uniqueTraders,
    newHolders24h: entry.newHolders24h,
    trendScore: entry.trendScore,
    lastTradeAt: entry.lastTradeAt.toISOString(),
  };
}

const top = endpoint({
  method: 'GET',
  path: '/api/trending',
  cache: 'public',
  tag: 'Discovery',
  summary: 'The agents whose tickets were traded in the last 24 hours, by how much is going on',
  description:
    'trendScore weighs volume 30 %, unique traders 25 %, the rise of the price 20 %, how recent the last trade is 15 % ' +
    'and new holders 10 %, each against the highest of all candidates.',
  auth: 'none',
  limit: [{ name: 'trending', max: 10, seconds: 60, per: 'ip' }],
  query: z.object({ limit: limit(20, 50) }),
  output: z.object({ trending: z.array(trend), total: z.int(), updatedAt: time }),
  errors: [],
  example: { request: { limit: '1' }, response: { trending: [example.trend], total: 1, updatedAt: example.NOON } },
  async handle(deps, { query }) {
    const { trends, total, at } = await trendingAgents(deps, query.limit);
    return { trending: trends.map(formatTrend), total, updatedAt: at.toISOString() };
  },
});

export const trending = [top];
