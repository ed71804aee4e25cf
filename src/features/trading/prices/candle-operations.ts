import { z } from 'zod';
import { agentReference, limit, oneOfEnum, type PageSize, timeText } from '../../../server/inputs.js';
import { operation, unrouted } from '../../../server/operation.js';
import { candlesOf } from './candles.js';
import { candle, candleInterval } from './resource.js';

export const candlePage: PageSize = { fallback: 50, max: 500 };

export const candleList = operation({
  rest: 'GET /api/agents/{address}/candles',
  cache: 'public',
  tag: 'Trading',
  summary: 'Candles of the ticket price',
  description:
    `Returns at most the newest ${candlePage.max} candles, oldest first. Prices are those after each trade, without ` +
    'fees. Intervals are aligned to UTC. Intervals without a trade are omitted. A candle opens at the close of the ' +
    'previous one. Works for every agent on the chain, including deleted agents and agents without a profile at this ' +
    'service.',
  auth: 'none',
  limit: 'global',
  input: z.object({
    address: agentReference(),
    interval: oneOfEnum(candleInterval).default('1h').describe('Length of a candle.'),
    before: timeText().optional().describe('Only candles that start before this time. Default: now.'),
  }),
  output: z.object({ candles: z.array(candle.schema) }),
  errors: ['AGENT_NOT_FOUND', 'INVALID_QUERY'],
  samples: {
    client: "curvet.agents.candles('scout').take(24)",
    graphql: '{ candles(agent: "scout", interval: HOUR, first: 24) { time open close } }',
  },
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
  async handle({ deps }, { address, interval, before }) {
    return { candles: await candlesOf(deps, address, { interval, before, limit: candlePage.max }) };
  },
});

export const getCandles = unrouted({
  tool: {
    name: 'get_candles',
    title: 'Get candles of a ticket price',
    description:
      'Price history of one ticket: open, high, low, close and volume per interval, oldest first, without fees. Intervals ' +
      'without a trade are omitted.',
  },
  auth: 'none',
  limit: 'global',
  input: z.object({
    agent: agentReference(),
    interval: oneOfEnum(candleInterval).default('1h').describe('Length of a candle.'),
    before: timeText({ offset: true }).optional().describe('Only candles that start before this time, in ISO 8601. Default: now.'),
    limit: limit(candlePage),
  }),
  output: z.object({ candles: z.array(candle.schema) }),
  cache: 'public',
  async handle({ deps }, { agent, interval, before, limit }) {
    return { candles: await candlesOf(deps, agent, { interval, before, limit }) };
  },
});
