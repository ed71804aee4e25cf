import { z } from 'zod';
import { findAgent } from '../agents/lookup.js';
import { candles as readCandles } from '../prices/candles.js';
import { findMarket } from '../prices/markets.js';
import { tradesOf } from './trades.js';
import { agentParams, limit, offsetPage, oneOfEnum, page, timeText } from '../../server/fields.js';
import { pageSizes } from '../../server/page-sizes.js';
import { endpoint } from '../../server/rest/endpoint.js';
import { pagination, paginationOf } from '../../server/rest/pagination.js';
import { DAY_MS } from '../../time.js';
import { candle } from '../prices/candle-resource.js';
import { interval, tradeSide } from '../../server/resources/enums.js';
import { trade } from './resource.js';

const PUBLIC_TRADES = 5;
const OWNER_TRADES = 50;

const list = endpoint({
  method: 'GET',
  path: '/api/agents/{address}/trades',
  cache: 'public',
  tag: 'Trading',
  summary: 'Newest trades made by an agent, or made in its tickets',
  description:
    `Lists the newest ${OWNER_TRADES} trades with the key of the agent, and the newest ${PUBLIC_TRADES} without it, page by page. ` +
    'A page after the last is empty.',
  auth: 'optional',
  limit: 'global',
  params: agentParams(),
  query: z.object({
    side: oneOfEnum(tradeSide)
      .default('made')
      .describe('made: trades made by the agent. received: trades in its tickets.'),
    page: page(),
    limit: limit({ fallback: OWNER_TRADES, max: OWNER_TRADES }),
  }),
  output: z.object({ trades: z.array(trade.schema), pagination }),
  errors: ['AGENT_NOT_FOUND'],
  example: {
    request: { address: 'scout' },
    response: { trades: [], pagination: { page: 1, limit: OWNER_TRADES, total: 0, totalPages: 0, hasMore: false } },
  },
  async handle(deps, { actor, params: { address }, query: { side, page, limit } }) {
    const { wallet } = await findAgent(deps, address);
    // The caller sees only these trades, so the pages are slices of them.
    const newest = { offset: 0, limit: actor?.wallet === wallet ? OWNER_TRADES : PUBLIC_TRADES };
    const trades = (await tradesOf(deps, [wallet], { side, page: newest, choice: trade })).get(wallet) ?? [];
    const { offset } = offsetPage({ page, limit });
    return {
      trades: trades.slice(offset, offset + limit).map(trade.format),
      pagination: paginationOf(page, limit, trades.length),
    };
  },
});

const candles = endpoint({
  method: 'GET',
  path: '/api/agents/{address}/candles',
  cache: 'public',
  tag: 'Trading',
  summary: 'Candles of the ticket price',
  description:
    `Returns at most the newest ${pageSizes.candles.max} candles, oldest first. Prices are those after each trade, without ` +
    'fees. Intervals are aligned to UTC. Intervals without a trade are omitted. A candle opens at the close of the ' +
    'previous one. Works for every agent on the chain, including deleted agents and agents without a profile at this ' +
    'service.',
  auth: 'none',
  limit: 'global',
  params: agentParams(),
  query: z.object({
    interval: oneOfEnum(interval).default('1h').describe('Length of a candle.'),
    before: timeText().optional().describe('Only candles that start before this time. Default: now.'),
  }),
  output: z.object({
    candles: z.array(candle.schema),
  }),
  errors: ['AGENT_NOT_FOUND', 'INVALID_QUERY'],
  example: {
    request: { address: 'scout' },
    response: {
      candles: [
        candle.example({
          open: '20000000000000',
          high: '320000000000000',
          low: '20000000000000',
          close: '180000000000000',
          volume: '280000000000000',
          trades: 3,
        }),
      ],
    },
  },
  async handle(deps, { params: { address }, query }) {
    const wallet = await findMarket(deps, address);
    const before = query.before ?? new Date(deps.clock.now().getTime() + DAY_MS);
    const request = { interval: query.interval, before, limit: pageSizes.candles.max };
    const candlesByAgent = await readCandles(deps, [wallet], request);
    return { candles: (candlesByAgent.get(wallet) ?? []).map(candle.format) };
  },
});

export const trades = [list, candles];
