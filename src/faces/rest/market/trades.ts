import { z } from 'zod';
import { findAgent } from '../../../core/agents/queries/lookup.js';
import { candles as readCandles } from '../../../core/trading/queries/candles.js';
import { findMarket } from '../../../core/trading/queries/markets.js';
import { tradesOf, tradeTotals } from '../../../core/trading/queries/trades.js';
import { AppError } from '../../../errors.js';
import { DAY_MS } from '../../../time.js';
import { agentParams, integerText, oneOfEnum, text, timeText } from '../../fields.js';
import { pageSizes } from '../../page-sizes.js';
import { candle } from '../../resources/candle.js';
import { interval, tradeSide } from '../../resources/enums.js';
import { trade } from '../../resources/trade.js';
import { endpoint } from '../endpoint.js';
import { pagination, paginationOf } from '../pagination.js';

const PUBLIC_TRADES = 5;
const OWNER_TRADES = 50;

const list = endpoint({
  method: 'GET',
  path: '/api/agents/{address}/trades',
  cache: 'public',
  tag: 'Trading',
  summary: 'Newest trades made by an agent, or made in its tickets',
  description:
    `With the key of the agent, returns the newest ${OWNER_TRADES} trades, page by page. Without this key, returns the newest ` +
    `${PUBLIC_TRADES} trades and ignores \`page\` and \`limit\`.`,
  auth: 'optional',
  limit: 'global',
  params: agentParams(),
  query: z.object({
    side: oneOfEnum(tradeSide)
      .default('made')
      .describe('made: trades made by the agent. received: trades in its tickets.'),
    page: text().optional().describe('With the key of the agent: number of the page, from 1. Default: 1.'),
    limit: text()
      .optional()
      .describe(
        `With the key of the agent: maximum number of trades, from 1 to ${OWNER_TRADES}. Default: ${OWNER_TRADES}.`,
      ),
  }),
  output: z.object({
    trades: z.array(trade.schema),
    pagination: pagination.optional().describe('Position of the page. Absent without the key of the agent.'),
  }),
  errors: ['AGENT_NOT_FOUND', 'INVALID_QUERY'],
  example: { request: { address: 'scout' }, response: { trades: [] } },
  async handle(deps, { actor, params: { address }, query }) {
    const { wallet } = await findAgent(deps, address);
    const { side } = query;
    if (actor?.wallet !== wallet) {
      const page = { offset: 0, limit: PUBLIC_TRADES };
      const trades = await tradesOf(deps, [wallet], { side, page, choice: trade });
      return { trades: (trades.get(wallet) ?? []).map(trade.format) };
    }
    const page = ownerNumber('page', query.page, 1, 100_000);
    const limit = ownerNumber('limit', query.limit, OWNER_TRADES, OWNER_TRADES);
    const offset = (page - 1) * limit;
    const ownerPage = { offset, limit: Math.max(0, Math.min(limit, OWNER_TRADES - offset)) };
    const [trades, totals] = await Promise.all([
      tradesOf(deps, [wallet], { side, page: ownerPage, choice: trade }),
      tradeTotals(deps, [wallet], side),
    ]);
    const total = Math.min(totals.get(wallet) ?? 0, OWNER_TRADES);
    return { trades: (trades.get(wallet) ?? []).map(trade.format), pagination: paginationOf(page, limit, total) };
  },
});

/** Parses `page` or `limit` of the owner. Other callers may send any value, because it is ignored. */
function ownerNumber(field: string, value: string | undefined, fallback: number, max: number): number {
  if (value === undefined) return fallback;
  const result = integerText(1, max).safeParse(value);
  if (!result.success) throw new AppError('INVALID_QUERY', { field, expected: `an integer from 1 to ${max}` });
  return result.data;
}

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
