import { z } from 'zod';
import type { Deps } from '../../deps.js';
import { AppError } from '../../errors/errors.js';
import * as inputs from '../../server/inputs.js';
import { operation, unrouted } from '../../server/operation.js';
import { MAX_TICKETS_PER_TRADE } from '../../values/curve.js';
import { findAgent, isSelf } from '../agents/lookup.js';
import { addressedAgent } from '../agents/operations.js';
import { NOON, PLANNER, SCOUT } from '../examples.js';
import { confidence, thesis, tradeLimits } from '../theses/input.js';
import { buyOrSell, tickets } from './prices/operations.js';
import { recordTrade } from './record.js';
import { position, trade, tradeSide } from './resource.js';
import { newestTrades, type TradeRange, type TradeSide, tradeTotals } from './trades.js';

const body = z.object({
  txHash: inputs.txHash().describe('Hash of the transaction of the trade.'),
  agentAddress: addressedAgent('Agent whose tickets were traded'),
  amount: tickets,
  thesis,
  confidence,
});

const output = z.object({
  trade: trade.schema,
  position: position.schema
    .nullable()
    .describe('Position of the wallet after the trade. Null if the index is far behind the trade.'),
});

const TX_HASH = `0x${'5c'.repeat(32)}`;

const example = (sold: boolean) => ({
  request: {
    txHash: TX_HASH,
    agentAddress: SCOUT,
    amount: 1,
    thesis: 'Undervalued scout',
  },
  response: {
    trade: trade.format({
      id: 'hYc8Vb2nT0q1xkzv3m7uLQ',
      type: sold ? 'AGENT_SELL' : 'AGENT_BUY',
      sale: sold,
      amount: 1,
      price: 3_920_000_000_000_000n,
      protocolFee: 196_000_000_000_000n,
      agentFee: 196_000_000_000_000n,
      costBasis: sold ? 4_312_000_000_000_000n : null,
      realizedPnl: sold ? -784_000_000_000_000n : null,
      thesis: 'Undervalued scout',
      eligibility: 'undecided',
      agent: SCOUT,
      agentName: 'Scout',
      agentId: 'scout',
      trader: PLANNER,
      traderName: 'Ada',
      traderAgentId: 'ada',
      txHash: TX_HASH,
      blockNumber: 4711,
      time: new Date(NOON),
    }),
    position: sold ? { amount: 0, avgCostBasis: 0 } : { amount: 1, avgCostBasis: 0.004312 },
  },
});

const record = (side: 'buy' | 'sell') =>
  operation({
    rest: `POST /api/tickets/${side}`,
    tag: 'Trading',
    summary: side === 'buy' ? 'Record a purchase made on the chain' : 'Record a sale made on the chain',
    description:
      'The service indexes all trades from the chain. This request indexes one trade immediately, returns the position of ' +
      'the trader, and attaches a thesis. The wallet of the key must have sent the transaction, and it must have succeeded.',
    auth: 'required',
    limit: tradeLimits,
    retired: (config) => config.TICKET_CALLBACKS === 'retired',
    input: body,
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
    samples: {
      client: `curvet.request('POST /api/tickets/${side}', { body: { txHash: '${TX_HASH}', agentAddress: '${SCOUT}', amount: 1 } })`,
      graphql: `mutation { ${side === 'buy' ? 'recordBuy' : 'recordSell'}(input: { txHash: "${TX_HASH}", agentAddress: "${SCOUT}", amount: 1 }) { position { amount } } }`,
    },
    example: example(side === 'sell'),
    ...recordTrade,
    prepare: (ctx, { agentAddress: agent, ...submission }) => recordTrade.prepare(ctx, { side, agent, ...submission }),
  });

export const recordBuy = record('buy');
export const recordSell = record('sell');

export const recordTool = unrouted({
  tool: {
    effect: 'adds',
    name: 'record_trade',
    names: { agentAddress: 'agent' },
    title: 'Record a trade',
    description:
      'Attaches your reason to a trade that your wallet has made on the chain, and returns your position after it. Call it after ' +
      'the transaction is mined. The service records every trade from the chain, also without this call.',
  },
  auth: 'required',
  limit: tradeLimits,
  input: z.object({ action: buyOrSell, ...body.shape }),
  output,
  ...recordTrade,
  prepare: (ctx, { action: side, agentAddress: agent, ...submission }) => recordTrade.prepare(ctx, { side, agent, ...submission }),
});

const PUBLIC_TRADES = 5;
const OWNER_TRADES = 50;

type Asked = TradeRange & { readonly side: TradeSide; readonly limit?: number; readonly before?: string | undefined };

/**
 * The trades that a caller may read, newest first, and the number of all trades. The agent itself may read all; others read only
 * the newest.
 */
async function readTrades(deps: Deps, wallet: string, isOwn: boolean, { side, limit, before, ...range }: Asked) {
  const asked = isOwn ? { side, range, limit: limit ?? OWNER_TRADES, before } : { side, range, limit: PUBLIC_TRADES };
  const [trades, totals] = await Promise.all([newestTrades(deps, wallet, asked), tradeTotals(deps, [wallet], side, range)]);
  return { trades, total: totals.get(wallet) ?? 0 };
}

/** Fields that narrow a list of trades. */
export const tradeRange = (options: { readonly offset?: boolean } = {}) => ({
  since: inputs.timeText(options).optional().describe('Only trades at this time or later.'),
  until: inputs.timeText(options).optional().describe('Only trades before this time.'),
  minAmount: inputs
    .integer(1, Number(MAX_TICKETS_PER_TRADE))
    .optional()
    .describe('Only trades of at least this number of tickets.'),
  sale: inputs.trueOrFalse().optional().describe('true: only sales. false: only purchases.'),
});

const side = () =>
  inputs
    .oneOfEnum(tradeSide)
    .meta({ graphql: { of: tradeSide, description: 'Trades made by the agent, or trades in its tickets.' } })
    .default('made')
    .describe('made: trades made by the agent. received: trades in its tickets.');

const TOTAL = 'Number of all trades that match, readable or not.';

export const tradeList = operation({
  rest: 'GET /api/agents/{address}/trades',
  cache: 'public',
  tag: 'Trading',
  summary: 'Newest trades by an agent, or in its tickets',
  description:
    `With the key of the agent, \`page\` and \`limit\` page through its newest ${OWNER_TRADES} trades, and a page after the last is ` +
    `empty. For older trades, send the id of the last trade as \`before\`: \`page\`, \`limit\` and \`pagination\` then apply to the ` +
    `next ${OWNER_TRADES}. Without this key, the answer is the newest ${PUBLIC_TRADES} trades that match, and \`page\`, \`limit\` and ` +
    '`before` are ignored. `total` counts all trades that match.',
  auth: 'optional',
  limit: 'global',
  input: z.object({
    address: inputs.agentReference(),
    side: side(),
    page: inputs.page(),
    limit: inputs.limit({ fallback: OWNER_TRADES, max: OWNER_TRADES }),
    before: inputs.anyText().optional().describe('Id of a trade: only trades older than it.'),
    ...tradeRange(),
  }),
  ignored: (actor, { address }) => (isSelf(actor, String(address)) ? [] : ['page', 'limit', 'before']),
  output: z.object({
    trades: z.array(trade.schema),
    total: z.int().describe(TOTAL),
    pagination: inputs.pagination,
  }),
  errors: ['AGENT_NOT_FOUND', 'INVALID_QUERY'],
  samples: {
    client: "curvet.agents.trades('scout').take(5)",
    graphql: '{ agent(agentId: "scout") { trades(first: 5) { nodes { type amount pricePerUnitWei } } } }',
  },
  example: {
    request: { address: 'scout' },
    response: {
      trades: [],
      total: 0,
      pagination: { page: 1, limit: PUBLIC_TRADES, total: 0, totalPages: 0, hasMore: false },
    },
  },
  async handle({ deps, actor }, { address, page, limit, ...asked }) {
    const { wallet } = await findAgent(deps, address);
    const isOwn = actor?.wallet === wallet;
    // `page` and `limit` apply only to these trades, so a page is a slice of them.
    const { trades, total } = await readTrades(deps, wallet, isOwn, asked);
    const shown = isOwn ? { page, limit } : { page: 1, limit: PUBLIC_TRADES };
    const { offset } = inputs.offsetPage(shown);
    return {
      trades: trades.slice(offset, offset + shown.limit),
      total,
      pagination: inputs.paginationOf(shown.page, shown.limit, trades.length),
    };
  },
});

export const getTrades = unrouted({
  tool: {
    name: 'get_trades',
    title: 'List trades of an agent',
    description:
      'Trades made by an agent or in its tickets, newest first. Your own agent, with its key: all, page by page. Another agent: the ' +
      `newest ${PUBLIC_TRADES}.`,
  },
  cache: 'public',
  auth: 'optional',
  limit: 'global',
  input: z.object({
    agent: inputs.anyText().optional().describe('Wallet address, agentId or name. Default: the agent of the key.'),
    side: side(),
    before: inputs.anyText().optional().describe('Id of the last trade before this page. Own agent only.'),
    ...tradeRange({ offset: true }),
    limit: inputs.limit({ fallback: 20, max: OWNER_TRADES }),
  }),
  output: z.object({ trades: z.array(trade.schema), total: z.int().describe(TOTAL) }),
  async handle({ deps, actor }, { agent, ...asked }) {
    const wallet = agent === undefined ? actor?.wallet : (await findAgent(deps, agent)).wallet;
    if (wallet === undefined) throw new AppError('MISSING_KEY');
    return readTrades(deps, wallet, actor?.wallet === wallet, asked);
  },
});
