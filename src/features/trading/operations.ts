import { z } from 'zod';
import { writeLimits } from '../../server/access/limit-rows.js';
import {
  address,
  agentParams,
  limit,
  offsetPage,
  oneOfEnum,
  page,
  text,
  timeText,
  txHash,
} from '../../server/fields.js';
import { pageSizes } from '../../server/page-sizes.js';
import { interval, tradeSide } from '../../server/resources/enums.js';
import { endpoint } from '../../server/rest/endpoint.js';
import { pagination, paginationOf } from '../../server/rest/pagination.js';
import { DAY_MS } from '../../time.js';
import { findAgent } from '../agents/lookup.js';
import { candles as readCandles } from '../prices/candles.js';
import { findMarket } from '../prices/markets.js';
import { candle } from '../prices/resource.js';
import { amount } from '../pricing/fields.js';
import { MAX_TICKETS_PER_TRADE } from '../pricing/rules.js';
import { MAX_THESIS_LENGTH } from '../text/rules.js';
import { pnlCaches } from './pnl.js';
import { recordTrade } from './record.js';
import { position, trade } from './resource.js';
import { tradesOf } from './trades.js';

const body = z.object({
  txHash: txHash().describe('Hash of the transaction of the trade.'),
  agentAddress: address().describe('Wallet address of the agent whose tickets were traded.'),
  amount: amount().describe(`Number of tickets, from 1 to ${MAX_TICKETS_PER_TRADE}.`),
  thesis: text()
    .optional()
    .describe(`Reason for the trade, at most ${MAX_THESIS_LENGTH} characters. HTML is stripped. URLs are refused.`),
});

const output = z.object({
  trade: trade.schema,
  position: position.schema
    .nullable()
    .describe('Position of the wallet after the trade. Null if the index is far behind the trade.'),
});

const example = (sold: boolean) => ({
  request: {
    txHash: `0x${'5c'.repeat(32)}`,
    agentAddress: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
    amount: 1,
    thesis: 'Undervalued scout',
  },
  response: {
    trade: trade.example({
      id: 'hYc8Vb2nT0q1xkzv3m7uLQ',
      type: sold ? 'AGENT_SELL' : 'AGENT_BUY',
      amount: 1,
      price: '3920000000000000',
      protocolFee: '196000000000000',
      agentFee: '196000000000000',
      total: sold ? '3528000000000000' : '4312000000000000',
      pricePerUnit: 0.00392,
      ...(sold
        ? {
            costBasis: 0.004312,
            costBasisWei: '4312000000000000',
            realizedPnl: -0.000784,
            realizedPnlWei: '-784000000000000',
          }
        : {}),
      thesis: 'Undervalued scout',
      agentName: 'Scout',
      agentId: 'scout',
      buyerOrSeller: '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc',
      buyerOrSellerName: 'Ada',
      buyerOrSellerAgentId: 'ada',
      blockNumber: 4711,
    }),
    position: sold ? { amount: 0, avgCostBasis: 0 } : { amount: 1, avgCostBasis: 0.004312 },
  },
});

const record = (side: 'buy' | 'sell') =>
  endpoint({
    method: 'POST',
    path: `/api/tickets/${side}`,
    tag: 'Trading',
    summary: side === 'buy' ? 'Record a purchase made on the chain' : 'Record a sale made on the chain',
    description:
      'The service indexes all trades from the chain. This request indexes one trade immediately, returns the position of ' +
      'the trader, and attaches a thesis. The wallet of the key must have sent the transaction, and it must have succeeded.',
    auth: 'required',
    limit: writeLimits.trades,
    retired: (config) => config.TICKET_CALLBACKS === 'retired',
    body,
    output,
    status: 201,
    errors: [
      'INVALID_TX_HASH',
      'INVALID_ADDRESS',
      'INVALID_AMOUNT',
      'FIELD_TOO_LONG',
      'THESIS_HAS_URL',
      'CONTENT_HIDDEN',
      'AGENT_NOT_FOUND',
      'TRADE_RECORDED',
      'TRADE_UNVERIFIED',
      'CHAIN_UNAVAILABLE',
    ],
    example: example(side === 'sell'),
    async run(deps, { actor, body: { agentAddress, ...submission }, spend }) {
      const kind = side === 'buy' ? 'bought' : 'sold';
      const recorded = await recordTrade(deps, actor, { kind, agent: agentAddress, ...submission }, spend);
      pnlCaches.forget(deps, actor.wallet, agentAddress);
      return recorded;
    },
    answer: (recorded) => ({
      trade: trade.format(recorded.trade),
      position: recorded.position && position.format(recorded.position),
    }),
  });

export const tickets = [record('buy'), record('sell')];

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
