import { z } from 'zod';
import type { Config } from '../../config.js';
import { AppError } from '../../errors.js';
import { readLimits } from '../../server/access/limit-rows.js';
import { address, aliasOf, integerText, oneOfEnum } from '../../server/fields.js';
import { action as side } from '../../server/resources/enums.js';
import { endpoint } from '../../server/rest/endpoint.js';
import { CONTRACT, NOON, PLANNER, SCOUT } from '../../server/rest/examples.js';
import { oneValue } from '../../server/rest/input.js';
import { amountText, slippageText } from '../pricing/fields.js';
import { MAX_SLIPPAGE_PERCENT, MAX_TICKETS_PER_TRADE } from '../pricing/rules.js';
import { livePrice } from './price.js';
import { MAX_DEADLINE_SECONDS, MIN_DEADLINE_SECONDS, tradeQuote } from './quote.js';
import { price, QUOTE_SLIPPAGE, quote, quoteNote } from './resource.js';

const AGENT = 'Wallet address of the agent whose tickets are traded.';
const AMOUNT = `Number of tickets, from 1 to ${MAX_TICKETS_PER_TRADE}.`;

const priceEndpoint = endpoint({
  method: 'GET',
  path: '/api/price',
  cache: 'never',
  tag: 'Trading',
  summary: 'Price of tickets now, read from the chain',
  description:
    'Works for every agent that is registered on the chain, with or without a profile at this service. With `slippage`, ' +
    'the answer also contains the bound to send with the trade.',
  auth: 'none',
  limit: readLimits.price,
  query: z.object({
    agent: address().describe(AGENT),
    amount: amountText().default(1).describe(AMOUNT),
    type: oneOfEnum(side).default('buy').describe('Whether to buy or to sell.'),
    slippage: slippageText()
      .optional()
      .describe(`Accepted slippage in percent, from 0 to ${MAX_SLIPPAGE_PERCENT}, with at most 2 decimals.`),
  }),
  output: price.schema,
  errors: ['INVALID_ADDRESS', 'INVALID_AMOUNT', 'LAST_TICKET', 'AGENT_NOT_FOUND', 'CHAIN_UNAVAILABLE'],
  example: {
    request: { agent: SCOUT, amount: '1', type: 'buy', slippage: '5' },
    response: price.example({
      amount: 1,
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
    }),
  },
  async handle(deps, { query: { agent, amount, type, slippage } }) {
    const live = await livePrice(deps, { agent, amount, side: type, slippageBps: slippage });
    return price.format({ ...live, agent, amount, type, slippage });
  },
});

/** Calldata of buyTickets(agent, 1, maxCost) or sellTickets(agent, 1, minPayout), for the examples. */
const callData = (selector: string, bound: string): string =>
  selector + [SCOUT, '0x1', bound].map((word) => word.slice(2).padStart(64, '0')).join('');
const BUY = callData('0xb91ccd38', '0xbd157da61800');
const SELL = callData('0xe989e9b9', '0x3e359db3e000');

const quoteEndpoint = (config: Config) =>
  endpoint({
    method: 'GET',
    path: '/api/tickets/quote',
    cache: 'never',
    tag: 'Trading',
    summary: 'Quote for a trade, with the transaction to sign and send',
    description:
      `The transaction accepts ${QUOTE_SLIPPAGE} slippage. It is tried on the present state of the chain: \`refusal\` says why ` +
      'it would fail. Purchases are quoted only for agents of this service. Sales are quoted for every agent on the chain, ' +
      'including deleted agents. `GET /api/price` with `slippage=5` has the same figures without a key.',
    auth: 'required',
    limit: 'global',
    query: z.object({
      action: oneOfEnum(side).optional().describe('Whether to buy or to sell. Required.'),
      type: aliasOf('action', oneOfEnum(side).optional()),
      agent: address().describe(AGENT),
      amount: amountText().describe(AMOUNT),
      walletAddress: address().describe('Wallet address of the key, which sends the transaction.'),
      deadlineSeconds: integerText(MIN_DEADLINE_SECONDS, MAX_DEADLINE_SECONDS)
        .optional()
        .describe('Seconds until the transaction expires. Without it, the transaction does not expire.'),
    }),
    output: quote.schema,
    errors: [
      'INVALID_ADDRESS',
      'INVALID_AMOUNT',
      'INSUFFICIENT_TICKETS',
      'LAST_TICKET',
      'NOT_AUTHORIZED',
      'AGENT_NOT_FOUND',
      'NO_DEADLINES',
      'CHAIN_UNAVAILABLE',
    ],
    example: {
      request: { action: 'buy', agent: SCOUT, amount: '1', walletAddress: PLANNER },
      response: quote.example({
        amount: 1,
        basePrice: '0.00018',
        protocolFee: '0.000009',
        agentFee: '0.000009',
        totalCost: '0.000198',
        maxCost: '0.0002079',
        slippagePercent: '5',
        transaction: {
          to: CONTRACT,
          from: PLANNER,
          data: BUY,
          value: '0xbd157da61800',
          gasLimit: '0x30d40',
        },
        note: quoteNote(config),
      }),
      summary: 'A purchase',
    },
    moreExamples: [
      {
        summary: 'A sale',
        request: { action: 'sell', agent: SCOUT, amount: '1', walletAddress: PLANNER },
        response: quote.example({
          action: 'sell',
          amount: 1,
          basePrice: '0.00008',
          protocolFee: '0.000004',
          agentFee: '0.000004',
          totalCost: '0.000072',
          minPayout: '0.0000684',
          slippagePercent: '5',
          ticketBalance: 1,
          balanceAt: NOON,
          transaction: {
            to: CONTRACT,
            from: PLANNER,
            data: SELL,
            value: '0x0',
            gasLimit: '0x30d40',
          },
        }),
      },
    ],
    async handle(deps, { actor, query }) {
      const { agent, amount, walletAddress: wallet, type, deadlineSeconds } = query;
      const action = oneValue({ action: query.action, type });
      if (action === undefined) throw new AppError('MISSING_FIELD', { field: 'action' });
      const quoted = await tradeQuote(deps, actor, { side: action, agent, amount, wallet, deadlineSeconds });
      return quote.format({ ...quoted, type: action, agent, amount, note: quoteNote(deps.config) });
    },
  });

export const pricing = (config: Config) => [priceEndpoint, quoteEndpoint(config)];
