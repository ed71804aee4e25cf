import { z } from 'zod';
import { MAX_TICKETS_PER_TRADE } from '../pricing/rules.js';
import { MAX_THESIS_LENGTH } from '../text/rules.js';
import { recordTrade } from './record.js';
import { amount } from '../pricing/fields.js';
import { writeLimits } from '../../server/access/limit-rows.js';
import { address, text, txHash } from '../../server/fields.js';
import { endpoint } from '../../server/rest/endpoint.js';
import { pnlCaches } from './pnl-caches.js';
import { position, trade } from './resource.js';

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
