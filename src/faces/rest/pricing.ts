import { z } from 'zod';
import { livePrice } from '../../core/trading/queries/price.js';
import { tradeQuote } from '../../core/trading/queries/quote.js';
import { AppError } from '../../errors.js';
import { formatPrice, formatQuote, priceOutput, QUOTE_NOTE, quoteOutput } from '../priceshape.js';
import { endpoint } from './endpoint.js';
import * as example from './examples.js';
import { address, amountText, oneOf, percentText } from './fields.js';

const price = endpoint({
  method: 'GET',
  path: '/api/price',
  cache: 'never',
  tag: 'Trading',
  summary: 'What tickets cost or bring now, live from the chain',
  description: 'Knows every agent that registered on-chain. With slippage also the bound to send with the trade.',
  auth: 'none',
  limit: [{ name: 'price', max: 10, seconds: 60, per: 'ip' }],
  query: z.object({
    agent: address(),
    amount: amountText().default(1),
    type: oneOf('buy', 'sell').default('buy'),
    slippage: percentText(50).optional(),
  }),
  output: priceOutput,
  errors: ['INVALID_ADDRESS', 'INVALID_AMOUNT', 'LAST_TICKET', 'AGENT_NOT_FOUND', 'CHAIN_UNAVAILABLE'],
  example: {
    request: { agent: example.SCOUT, amount: '1', type: 'buy', slippage: '5' },
    response: {
      agent: example.SCOUT,
      amount: 1,
      type: 'buy',
      price: '180000000000000',
      priceEth: '0.00018',
      priceUsd: 0.45,
      priceAfterFee: '198000000000000',
      priceAfterFeeEth: '0.000198',
      priceAfterFeeUsd: 0.5,
      protocolFeeEth: '0.000009',
      agentFeeEth: '0.000009',
      totalSupply: 3,
      slippagePercent: '5',
      maxTotalCost: '207900000000000',
      maxTotalCostEth: '0.0002079',
    },
  },
  async handle(deps, { query: { agent, amount, type, slippage } }) {
    const live = await livePrice(deps, { agent, amount, side: type, slippageBps: slippage });
    return formatPrice({ agent, amount, type, slippage }, live);
  },
});

/** buyTickets(agent, 1, maxCost), for the example. */
const words = [example.SCOUT, '0x1', '0xbd157da61800'].map((word) => word.slice(2).padStart(64, '0'));
const CALL = `0xb91ccd38${words.join('')}`;

const quote = endpoint({
  method: 'GET',
  path: '/api/tickets/quote',
  cache: 'never',
  tag: 'Trading',
  summary: 'Prices a trade and gives the transaction for it, ready to sign and send',
  description: 'With 5 % slippage. type is an alias of action; walletAddress must be the wallet of the key.',
  auth: 'required',
  limit: 'global',
  query: z.object({
    action: oneOf('buy', 'sell').optional(),
    type: oneOf('buy', 'sell').optional(),
    agent: address(),
    amount: amountText(),
    walletAddress: address(),
  }),
  output: quoteOutput,
  errors: [
    'INVALID_ADDRESS',
    'INVALID_AMOUNT',
    'INSUFFICIENT_TICKETS',
    'LAST_TICKET',
    'NOT_AUTHORIZED',
    'AGENT_NOT_FOUND',
    'CHAIN_UNAVAILABLE',
  ],
  example: {
    request: { action: 'buy', agent: example.SCOUT, amount: '1', walletAddress: example.PLANNER },
    response: {
      action: 'buy',
      agent: example.SCOUT,
      amount: 1,
      basePrice: '0.00018',
      protocolFee: '0.000009',
      agentFee: '0.000009',
      totalCost: '0.000198',
      maxCost: '0.0002079',
      slippagePercent: '5',
      transaction: {
        to: example.CONTRACT,
        from: example.PLANNER,
        data: CALL,
        value: '0xbd157da61800',
        gasLimit: '0x30d40',
      },
      note: QUOTE_NOTE,
    },
  },
  async handle(deps, { actor, query }) {
    const action = query.action ?? query.type;
    if (action === undefined) throw new AppError('MISSING_FIELD', { field: 'action' });
    if (query.type !== undefined && query.type !== action) {
      throw new AppError('INVALID_QUERY', { field: 'type', expected: 'the same as action' });
    }
    const { agent, amount, walletAddress: wallet } = query;
    return formatQuote(action, query, await tradeQuote(deps, actor, { side: action, agent, amount, wallet }));
  },
});

export const pricing = [price, quote];
