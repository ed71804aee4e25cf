import type { LivePrice, Side } from '../../core/trading/queries/price.js';
import { QUOTE_SLIPPAGE_BPS, type TradeQuote, type UnsignedTransaction } from '../../core/trading/queries/quote.js';
import { usdNumber, type Wei } from '../../money.js';
import { action } from './enums.js';
import { fieldsOf, object, resource, view } from './field.js';
import { address, eth, float, hex, int, oneOf, optional, text, time, wei } from './types.js';

/** Basis points as percent: 500 is "5", 50 is "0.5". */
const percent = (bps: bigint): string => String(Number(bps) / 100);
const toHex = (value: bigint): string => `0x${value.toString(16)}`;

const AGENT = 'Wallet address of the agent whose tickets are traded.';

export type PriceRow = LivePrice & {
  readonly agent: string;
  readonly amount: number;
  readonly type: Side;
  /** Basis points. */
  readonly slippage?: bigint | undefined;
};

type Bounded = { readonly type: Side; readonly bound?: Wei };
const maxCost = ({ type, bound }: Bounded) => (type === 'buy' ? bound : undefined);
const minPayout = ({ type, bound }: Bounded) => (type === 'sell' ? bound : undefined);

const live = fieldsOf<PriceRow>();
const priceTable = {
  agent: live.column('agent', address, AGENT),
  amount: live.column('amount', int, 'Number of tickets.'),
  type: live.column('type', oneOf(action), 'Whether the tickets are bought or sold.'),
  price: live.column('price', wei, 'Curve price of all tickets together, without fees, in wei.'),
  priceEth: live.column('price', eth, 'price in ETH.'),
  priceUsd: live.computed(['price', 'ethUsd'], float, 'price in US dollars.', (row) =>
    usdNumber(row.price, row.ethUsd),
  ),
  priceAfterFee: live.column('total', wei, 'Amount that a buyer pays or a seller receives, in wei.'),
  priceAfterFeeEth: live.column('total', eth, 'priceAfterFee in ETH.'),
  priceAfterFeeUsd: live.computed(['total', 'ethUsd'], float, 'priceAfterFee in US dollars.', (row) =>
    usdNumber(row.total, row.ethUsd),
  ),
  protocolFeeEth: live.column('protocolFee', eth, 'Fee of the protocol, in ETH.'),
  agentFeeEth: live.column('agentFee', eth, 'Fee of the agent, in ETH.'),
  totalSupply: live.column('supply', int, 'Tickets in circulation.'),
  slippagePercent: live.computed(
    ['slippage'],
    optional(text),
    'Slippage of the request, in percent. Absent if the request had none.',
    ({ slippage }) => (slippage === undefined ? undefined : percent(slippage)),
  ),
  maxTotalCost: live.computed(
    ['type', 'bound'],
    optional(wei),
    'Purchases with slippage: maxCostEth of buyTickets, in wei.',
    maxCost,
  ),
  maxTotalCostEth: live.computed(['type', 'bound'], optional(eth), 'maxTotalCost in ETH.', maxCost),
  minPayout: live.computed(
    ['type', 'bound'],
    optional(wei),
    'Sales with slippage: minPayoutEth of sellTickets, in wei.',
    minPayout,
  ),
  minPayoutEth: live.computed(['type', 'bound'], optional(eth), 'minPayout in ETH.', minPayout),
};

export const price = resource('Price', 'Price of tickets now, read from the chain.', priceTable);
export const priceView = view(priceTable);

const unsigned = fieldsOf<UnsignedTransaction>();
const transactionTable = {
  to: unsigned.column('to', text, 'Address of the contract.'),
  from: unsigned.column('from', address, 'Wallet that signs.'),
  data: unsigned.column('data', hex, 'Call data, in hexadecimal.'),
  value: unsigned.computed(['value'], hex, 'Value in wei, in hexadecimal.', ({ value }) => toHex(value)),
  gasLimit: unsigned.computed(['gasLimit'], hex, 'Gas limit, in hexadecimal.', ({ gasLimit }) => toHex(gasLimit)),
};
export const transaction = resource('UnsignedTransaction', 'Transaction to sign and send unchanged.', transactionTable);

export type QuoteRow = TradeQuote & {
  readonly type: Side;
  readonly agent: string;
  readonly amount: number;
  /** How to use the transaction of a purchase. */
  readonly note: string;
};
export const QUOTE_SLIPPAGE = `${percent(QUOTE_SLIPPAGE_BPS)} %`;

const quoted = fieldsOf<QuoteRow>();
const quoteTable = {
  action: quoted.column('type', oneOf(action), 'Whether the tickets are bought or sold.'),
  agent: quoted.column('agent', address, AGENT),
  amount: quoted.column('amount', int, 'Number of tickets.'),
  basePrice: quoted.column('price', eth, 'Curve price of all tickets together, without fees, in ETH.'),
  protocolFee: quoted.column('protocolFee', eth, 'Fee of the protocol, in ETH.'),
  agentFee: quoted.column('agentFee', eth, 'Fee of the agent, in ETH.'),
  totalCost: quoted.column('total', eth, 'Amount that a buyer pays or a seller receives, fees included, in ETH.'),
  maxCost: quoted.computed(
    ['type', 'bound'],
    optional(eth),
    `Purchases: totalCost plus ${QUOTE_SLIPPAGE}, in ETH, which is the value of the transaction.`,
    maxCost,
  ),
  minPayout: quoted.computed(
    ['type', 'bound'],
    optional(eth),
    `Sales: totalCost less ${QUOTE_SLIPPAGE}, in ETH.`,
    minPayout,
  ),
  slippagePercent: quoted.computed(
    [],
    text,
    `Accepted slippage, in percent. Always ${percent(QUOTE_SLIPPAGE_BPS)}.`,
    () => percent(QUOTE_SLIPPAGE_BPS),
  ),
  ticketBalance: quoted.computed(
    ['balance'],
    optional(int),
    'Sales: number of tickets that the wallet holds.',
    ({ balance }) => balance?.tickets,
  ),
  balanceAt: quoted.computed(
    ['balance'],
    optional(time),
    'Sales: when ticketBalance was read from the chain.',
    ({ balance }) => balance?.at,
  ),
  transaction: quoted.column('transaction', object(view(transactionTable), transaction), 'Transaction of the trade.'),
  note: quoted.computed(['type', 'note'], optional(text), 'Purchases: how to use the transaction.', (row) =>
    row.type === 'buy' ? row.note : undefined,
  ),
};

export const quote = resource('Quote', 'Price of a trade and the transaction for it.', quoteTable);
export const quoteView = view(quoteTable);

/** How to use the transaction of a purchase. */
export const quoteNote = ({ TICKET_CALLBACKS }: { readonly TICKET_CALLBACKS: 'on' | 'retired' }): string =>
  'Sign and send transaction as it is. Ether that the trade does not cost is returned. The service records the trade ' +
  `from the chain.${TICKET_CALLBACKS === 'on' ? ' POST /api/tickets/buy attaches a thesis to it.' : ''}`;
