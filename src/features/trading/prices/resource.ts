import type { Config } from '../../../config/config.js';
import type { AppError } from '../../../errors/errors.js';
import { fieldsOf, named, object, sharedResource } from '../../../server/resources/field.js';
import { address, enumeration, eth, float, hex, int, oneOf, optional, text, time, wei } from '../../../server/resources/types.js';
import { usdNumber, type Wei } from '../../../values/money.js';
import type { CandleInterval, CandleRow } from './candles.js';
import { type LivePrice, QUOTE_SLIPPAGE_BPS, type Side, type TradeQuote, type UnsignedTransaction } from './quote.js';

export const candleInterval = enumeration('Interval', 'Length of one candle.', {
  MINUTE: ['1m', 'One minute.'],
  FIVE_MINUTES: ['5m', 'Five minutes.'],
  FIFTEEN_MINUTES: ['15m', 'Fifteen minutes.'],
  HOUR: ['1h', 'One hour.'],
  FOUR_HOURS: ['4h', 'Four hours.'],
  DAY: ['1d', 'One day, from 00:00 UTC.'],
});

export const tradeAction = enumeration('Action', 'Whether tickets are bought or sold.', {
  BUY: ['buy', 'Tickets are bought.'],
  SELL: ['sell', 'Tickets are sold.'],
});

/** Formats basis points as a percentage: 500 is "5", 50 is "0.5". */
const percent = (bps: bigint): string => String(Number(bps) / 100);
const toHex = (value: bigint): string => `0x${value.toString(16)}`;

const AGENT = 'Wallet address of the agent whose tickets are traded.';

type Bounded = { readonly type: Side; readonly bound?: Wei };
const maxCost = ({ type, bound }: Bounded) => (type === 'buy' ? bound : undefined);
const minPayout = ({ type, bound }: Bounded) => (type === 'sell' ? bound : undefined);

const live = fieldsOf<LivePrice>();
export const price = sharedResource('Price', 'Price of tickets now, read from the chain.', {
  agent: named('agentAddress')(live.column('agent', address, AGENT)),
  amount: live.column('amount', int, 'Number of tickets.'),
  type: live.column('type', oneOf(tradeAction), 'Whether the tickets are bought or sold.'),
  price: live.column('price', wei, 'Curve price of all tickets together, without fees, in wei.'),
  priceEth: live.column('price', eth, 'price in ETH.'),
  priceUsd: live.computed(['price', 'ethUsd'], float, 'price in US dollars.', (row) => usdNumber(row.price, row.ethUsd)),
  priceAfterFee: live.column('total', wei, 'Amount that a buyer pays, fees included, or a seller receives, fees deducted, in wei.'),
  priceAfterFeeEth: live.column('total', eth, 'priceAfterFee in ETH.'),
  priceAfterFeeUsd: live.computed(['total', 'ethUsd'], float, 'priceAfterFee in US dollars.', (row) =>
    usdNumber(row.total, row.ethUsd),
  ),
  protocolFeeEth: live.column('protocolFee', eth, 'Fee of the protocol, in ETH.'),
  agentFeeEth: live.column('agentFee', eth, 'Fee of the agent, in ETH.'),
  totalSupply: live.column('supply', int, 'Number of tickets in circulation.'),
  slippagePercent: live.computed(
    ['slippage'],
    optional(text),
    'Slippage tolerance of the request, in percent. Absent if the request had none.',
    ({ slippage }) => (slippage === undefined ? undefined : percent(slippage)),
  ),
  maxTotalCost: live.computed(
    ['type', 'bound'],
    optional(wei),
    'Maximum cost to pass to buyTickets, in wei. Only for a purchase with slippage.',
    maxCost,
  ),
  maxTotalCostEth: live.computed(['type', 'bound'], optional(eth), 'maxTotalCost in ETH.', maxCost),
  minPayout: live.computed(
    ['type', 'bound'],
    optional(wei),
    'Minimum payout to pass to sellTickets, in wei. Only for a sale with slippage.',
    minPayout,
  ),
  minPayoutEth: live.computed(['type', 'bound'], optional(eth), 'minPayout in ETH.', minPayout),
});

const unsigned = fieldsOf<UnsignedTransaction>();
export const transaction = sharedResource('UnsignedTransaction', 'Unsigned transaction. Sign and send it unchanged.', {
  to: unsigned.column('to', text, 'Address of the contract.'),
  from: unsigned.column('from', address, 'Wallet address that signs the transaction.'),
  data: unsigned.column('data', hex, 'Calldata, in hexadecimal.'),
  value: unsigned.computed(['value'], hex, 'Ether that the transaction sends, in wei, in hexadecimal.', ({ value }) =>
    toHex(value),
  ),
  gasLimit: unsigned.computed(['gasLimit'], hex, 'Gas limit, in hexadecimal.', ({ gasLimit }) => toHex(gasLimit)),
});

const refused = fieldsOf<Pick<AppError, 'code' | 'message' | 'hint'>>();
export const refusal = sharedResource('Refusal', 'Error that a transaction would meet on the present state of the chain.', {
  code: refused.column('code', text, 'Code of the error.'),
  message: refused.column('message', text, 'What is wrong.'),
  hint: refused.column('hint', text, 'What to do.'),
});

export const QUOTE_SLIPPAGE = `${percent(QUOTE_SLIPPAGE_BPS)} %`;

const quoted = fieldsOf<TradeQuote & { readonly note: string }>();
export const quote = sharedResource('Quote', 'Price of a trade, and an unsigned transaction for it.', {
  action: quoted.column('type', oneOf(tradeAction), 'Whether the tickets are bought or sold.'),
  agent: named('agentAddress')(quoted.column('agent', address, AGENT)),
  amount: quoted.column('amount', int, 'Number of tickets.'),
  basePrice: quoted.column('price', eth, 'Curve price of all tickets together, without fees, in ETH.'),
  protocolFee: quoted.column('protocolFee', eth, 'Fee of the protocol, in ETH.'),
  agentFee: quoted.column('agentFee', eth, 'Fee of the agent, in ETH.'),
  totalCost: quoted.column('total', eth, 'Amount that a buyer pays, fees included, or a seller receives, fees deducted, in ETH.'),
  maxCost: quoted.computed(
    ['type', 'bound'],
    optional(eth),
    `Maximum cost: totalCost plus ${QUOTE_SLIPPAGE}, in ETH. It is the value of the transaction. Only for a purchase.`,
    maxCost,
  ),
  minPayout: quoted.computed(
    ['type', 'bound'],
    optional(eth),
    `Minimum payout: totalCost less ${QUOTE_SLIPPAGE}, in ETH. Only for a sale.`,
    minPayout,
  ),
  slippagePercent: quoted.computed(
    [],
    text,
    `Slippage tolerance of the quote, in percent. Always ${percent(QUOTE_SLIPPAGE_BPS)}.`,
    () => percent(QUOTE_SLIPPAGE_BPS),
  ),
  ticketBalance: quoted.computed(
    ['balance'],
    optional(int),
    'Number of tickets that the wallet holds. Only for a sale.',
    ({ balance }) => balance?.tickets,
  ),
  balanceAt: quoted.computed(
    ['balance'],
    optional(time),
    'Time when ticketBalance was read from the chain. Only for a sale.',
    ({ balance }) => balance?.at,
  ),
  deadline: quoted.column(
    'deadline',
    optional(time),
    'Last block time at which the contract accepts the transaction. Only with deadlineSeconds.',
  ),
  transaction: quoted.column('transaction', object(transaction), 'Unsigned transaction of the trade.'),
  refusal: quoted.column(
    'refusal',
    optional(object(refusal)),
    'Why the transaction would fail on the present state of the chain. Only if it would fail.',
  ),
  note: quoted.computed(['type', 'note'], optional(text), 'How to use the transaction. Only for a purchase.', (row) =>
    row.type === 'buy' ? row.note : undefined,
  ),
});

/** Text that explains how to use the transaction of a purchase. */
export const NOTE =
  'Sign and send transaction as it is. Ether that the trade does not cost is returned. The service records the trade from the chain.';
export const quoteNote = ({ TICKET_CALLBACKS }: Pick<Config, 'TICKET_CALLBACKS'>): string =>
  TICKET_CALLBACKS === 'on' ? `${NOTE} POST /api/tickets/buy attaches a thesis to it.` : NOTE;

type Row = CandleRow & { readonly interval: CandleInterval };
const { column, globalId } = fieldsOf<Row>();

export const candle = sharedResource('Candle', 'Price of one ticket over an interval, without fees.', {
  id: globalId('Candle', 'wallet', 'interval', 'time'),
  time: column('time', time, 'Start of the interval. Intervals are aligned to 00:00 UTC.'),
  open: column('open', wei, 'Price of one ticket at the start, in wei: the close of the previous candle.'),
  high: column('high', wei, 'Highest price of one ticket, in wei.'),
  low: column('low', wei, 'Lowest price of one ticket, in wei.'),
  close: column('close', wei, 'Price of one ticket at the end, in wei.'),
  volume: column('volume', wei, 'Sum of the curve prices of the trades, without fees, in wei.'),
  trades: column('trades', int, 'Number of trades, at least 1. Intervals without a trade have no candle.'),
});
