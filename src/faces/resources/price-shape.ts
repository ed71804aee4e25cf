import { z } from 'zod';
import type { Config } from '../../config.js';
import type { LivePrice, Side } from '../../core/trading/queries/price.js';
import { QUOTE_SLIPPAGE_BPS, type TradeQuote } from '../../core/trading/queries/quote.js';
import { formatEth, usdNumber } from '../../money.js';
import { address as addressShape, eth, time, wei } from './shapes.js';

const side = z.enum(['buy', 'sell']);
const hex = z.string().regex(/^0x[0-9a-f]*$/);

/** Basis points as percent: 500 is "5", 50 is "0.5". */
const percent = (bps: bigint): string => String(Number(bps) / 100);
const toHex = (value: bigint): string => `0x${value.toString(16)}`;

export const priceOutput = z.object({
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

export type PriceQuery = {
  readonly agent: string;
  readonly amount: number;
  readonly type: Side;
  /** Basis points. */
  readonly slippage?: bigint | undefined;
};

export function formatPrice(query: PriceQuery, live: LivePrice): z.input<typeof priceOutput> {
  const { agent, amount, type, slippage } = query;
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
}

const transaction = z.object({
  to: addressShape,
  from: addressShape,
  data: hex,
  value: hex.meta({ description: 'Wei' }),
  gasLimit: hex,
});

export const quoteOutput = z.object({
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

/** What to do with the transaction of a purchase. */
export const quoteNote = ({ TICKET_CALLBACKS }: Config): string =>
  'Sign and send transaction as it is. Ether that the trade does not cost is returned. The service records the trade ' +
  `from the chain.${TICKET_CALLBACKS === 'on' ? ' POST /api/tickets/buy attaches a thesis to it.' : ''}`;

export function formatQuote(
  config: Config,
  action: Side,
  { agent, amount }: { agent: string; amount: number },
  quoted: TradeQuote,
) {
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
    ...(action === 'buy' ? { note: quoteNote(config) } : {}),
  };
}
