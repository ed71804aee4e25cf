import type { TradeRow } from '../../core/trading/queries/trades.js';
import type { Wei } from '../../money.js';
import { tradeType } from './enums.js';
import { fieldsOf, named, resource, restOnly, view } from './field.js';
import { averageCost } from './pnl.js';
import { address, ethFloat, float, hash, id, int, nullable, oneOf, signedWei, text, time, wei } from './types.js';

const { column, computed } = fieldsOf<TradeRow>();

const NOT_HERE = 'Null if it is not registered here.';

const table = {
  id: column('id', id, 'Id of the event of the trade in the feed.'),
  type: column('type', oneOf(tradeType), 'Purchase or sale, and whether an agent made it.'),
  amount: column('amount', int, 'Number of tickets.'),
  price: column('price', wei, 'Curve price of all tickets together, without fees, in wei.'),
  protocolFee: column('protocolFee', wei, 'Fee of the protocol, in wei.'),
  agentFee: column('agentFee', wei, 'Fee of the agent, in wei.'),
  total: computed(
    ['sale', 'price', 'protocolFee', 'agentFee'],
    wei,
    'Amount paid, fees included, or received, fees deducted, in wei.',
    totalOf,
  ),
  pricePerUnit: computed(
    ['price', 'amount'],
    ethFloat,
    'price / amount, in ETH.',
    ({ price, amount }) => price / BigInt(amount),
  ),
  costBasis: column(
    'costBasis',
    nullable(ethFloat),
    'Sales: FIFO cost of the tickets sold, in ETH. Null for a purchase.',
  ),
  realizedPnl: column(
    'realizedPnl',
    nullable(ethFloat),
    'Sales: total less costBasis, in ETH. Negative for a loss. Null for a purchase.',
  ),
  realizedPnlWei: column(
    'realizedPnl',
    nullable(signedWei),
    'realizedPnl in wei, as a decimal string, negative for a loss. Null for a purchase.',
  ),
  thesis: column('thesis', nullable(text), 'Reason that the trader gave. Null if there is none.'),
  agentAddress: column('agent', address, 'Wallet address of the agent whose tickets were traded.'),
  agentName: restOnly(column('agentName', nullable(text), `Name of the agent. ${NOT_HERE}`)),
  agentId: restOnly(column('agentId', nullable(text), `agentId of the agent. ${NOT_HERE}`)),
  buyerOrSeller: named('traderAddress')(column('trader', address, 'Wallet address of the buyer or seller.')),
  buyerOrSellerName: restOnly(column('traderName', nullable(text), `Name of the buyer or seller. ${NOT_HERE}`)),
  buyerOrSellerAgentId: restOnly(
    column('traderAgentId', nullable(text), `agentId of the buyer or seller. ${NOT_HERE}`),
  ),
  txHash: column('txHash', hash, 'Hash of the transaction.'),
  blockNumber: column('blockNumber', int, 'Number of the block.'),
  createdAt: column('time', time, 'Time of the block.'),
};

function totalOf({
  sale,
  price,
  protocolFee,
  agentFee,
}: Pick<TradeRow, 'sale' | 'price' | 'protocolFee' | 'agentFee'>) {
  const fees = protocolFee + agentFee;
  return sale ? price - fees : price + fees;
}

export const trade = resource('Trade', 'Purchase or sale of tickets, as recorded on the chain.', table);
export const tradeView = view(table);

const positions = fieldsOf<{ readonly amount: number; readonly cost: Wei }>();
const positionTable = {
  amount: positions.column('amount', int, 'Number of tickets that the wallet holds.'),
  avgCostBasis: positions.computed(
    ['cost', 'amount'],
    float,
    'Cost of one ticket, in ETH. 0 if it holds none.',
    averageCost,
  ),
};
export const position = resource('Position', 'Tickets that a wallet holds in an agent.', positionTable);
export const positionView = view(positionTable);
