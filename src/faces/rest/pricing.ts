import { z } from 'zod';
import { type LivePrice, livePrice, type Side } from '../../core/trading/queries/price.js';
import { QUOTE_SLIPPAGE_BPS, type TradeQuote, tradeQuote } from '../../core/trading/queries/quote.js';
import { AppError } from '../../errors.js';
import { formatEth, usdNumber } from '../../money.js';
import { address as addressShape, eth, time, wei } from '../shapes.js';
import { endpoint } from './endpoint.js';
import * as example from './examples.js';
import { address, amountText, oneOf, percentText } from './fields.js';

const side = z.enum(['buy', 'sell']);
const hex = z.string().regex(/^0x[0-9a-f]*$/);

/** Basis points as percent: 500 is "5", 50 is "0.5". */
const percent = (bps: bigint): string => String(Number(bps) / 100);
const toHex = (value: bigint): string => `0x${value.toString(16)}`;

const priceOutput = z.object({
  agent: addressShape,
  amount: z.int(),
  type: side,
  price: wei.meta({ description: 'Curve price of the whole amount, without fees, in wei' }),
  priceEth: eth,
  priceUsd: z.number(),
  priceAfterFee: wei.meta({ description: 'What a buyer pays or a seller receives, in wei' }),
  priceAfterFeeEth: eth,
  priceAfterFeeUsd: z.number(),
  protocolFeeEth: eth,
  agentFeeEth: eth,
  totalSupply: z.int(),
  slippagePercent: z.string().optional(),
  maxTotalCost: wei.optional().meta({ description: 'maxCostEth of buyTickets, in wei' }),
  maxTotalCostEth: eth.optional(),
  minPayout: wei.optional().meta({ description: 'minPayoutEth of sellTickets, in wei' }),
  minPayoutEth: eth.optional(),
});

function formatBound(type: Side, { bound }: LivePrice, slippageBps: bigint | undefined) {
  if (bound === undefined || slippageBps === undefined) return {};
  const slippagePercent = percent(slippageBps);
  return type === 'buy'
    ? { slippagePercent, maxTotalCost: String(bound), maxTotalCostEth: formatEth(bound) }
    : { slippagePercent, minPayout: String(bound), minPayoutEth: formatEth(bound) };
}

const price = endpoint({
  method: 'GET',
  path: '/api/price',
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
    return {
      agent,
      amount,
      type,
      price: String(live.price),
      priceEth: formatEth(live.price),
      priceUsd: usdNumber(live.price, live.ethUsd),
      priceAfterFee: String(live.total),
      priceAfterFeeEth: formatEth(live.total),
      priceAfterFeeUsd: usdNumber(live.total, live.ethUsd),
      protocolFeeEth: formatEth(live.protocolFee),
      agentFeeEth: formatEth(live.agentFee),
      totalSupply: live.supply,
      ...formatBound(type, live, slippage),
    };
  },
});

const transaction = z.object({
  to: addressShape,
  from: addressShape,
  data: hex,
  value: hex.meta({ description: 'Wei' }),
  gasLimit: hex,
});

const quoteOutput = z.object({
  action: side,
  agent: addressShape,
  amount: z.int(),
  basePrice: eth.meta({ description: 'Curve price, without fees' }),
  protocolFee: eth,
  agentFee: eth,
  totalCost: eth.meta({ description: 'What a buyer pays or a seller receives, fees included' }),
  maxCost: eth.optional().meta({ description: 'Of a purchase: totalCost and 5 %, also the value of the transaction' }),
  minPayout: eth.optional().meta({ description: 'Of a sale: totalCost less 5 %' }),
  slippagePercent: z.string(),
  ticketBalance: z.int().optional().meta({ description: 'Of a sale: what the wallet holds' }),
  balanceAt: time.optional().meta({ description: 'Of a sale: when ticketBalance was read' }),
  transaction,
  note: z.string().optional(),
});

const NOTE =
  'Sign and send transaction as it is. What the trade does not cost comes back with it; the service records the trade ' +
  'by itself, and POST /api/tickets/buy attaches a thesis.';

/** buyTickets(agent, 1, maxCost), for the example. */
const words = [example.SCOUT, '0x1', '0xbd157da61800'].map((word) => word.slice(2).padStart(64, '0'));
const CALL = `0xb91ccd38${words.join('')}`;

const quote = endpoint({
  method: 'GET',
  path: '/api/tickets/quote',
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
      note: NOTE,
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

function formatQuote(action: Side, { agent, amount }: { agent: string; amount: number }, quoted: TradeQuote) {
  const { to, from, data, value, gasLimit } = quoted.transaction;
  const bound = formatEth(quoted.bound);
  const { balance } = quoted;
  return {
    action,
    agent,
    amount,
    basePrice: formatEth(quoted.price),
    protocolFee: formatEth(quoted.protocolFee),
    agentFee: formatEth(quoted.agentFee),
    totalCost: formatEth(quoted.total),
    ...(action === 'buy' ? { maxCost: bound } : { minPayout: bound }),
    slippagePercent: percent(QUOTE_SLIPPAGE_BPS),
    ...(balance === undefined ? {} : { ticketBalance: balance.tickets, balanceAt: balance.at.toISOString() }),
    transaction: { to, from, data, value: toHex(value), gasLimit: toHex(gasLimit) },
    ...(action === 'buy' ? { note: NOTE } : {}),
  };
}

export const pricing = [price, quote];
