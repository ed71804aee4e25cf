import { fieldsOf, graphqlOnly, named, restOnly, sharedResource } from '../../server/resources/field.js';
import {
  address,
  enumeration,
  ethFloat,
  foreignText,
  hash,
  id,
  int,
  nullable,
  oneOf,
  time,
  wei,
} from '../../server/resources/types.js';
import type { Wei } from '../../values/money.js';
import { thesisEligibility } from '../theses/resource.js';
import type { TradeRow } from './trades.js';

export const tradeSide = enumeration('TradeSide', 'Which trades of an agent a list has.', {
  MADE: ['made', 'Trades that the agent made.'],
  RECEIVED: ['received', 'Trades in the tickets of the agent.'],
});

export const tradeType = enumeration('TradeType', 'Type of a trade.', {
  BUY: ['BUY', 'Purchase by a wallet that had not registered an agent on the chain before.'],
  SELL: ['SELL', 'Sale by a wallet that had not registered an agent on the chain before.'],
  AGENT_BUY: ['AGENT_BUY', 'Purchase by a wallet that had registered an agent on the chain before.'],
  AGENT_SELL: ['AGENT_SELL', 'Sale by a wallet that had registered an agent on the chain before.'],
});

const { column, computed, globalId } = fieldsOf<TradeRow>();

const NOT_REGISTERED = 'Null if the wallet is not an agent of this service.';

const table = {
  id: restOnly(column('id', id, 'Id of the trade, the same as in the feed.')),
  graphqlId: globalId('Trade', 'id'),
  type: column('type', oneOf(tradeType), 'Type of the trade: purchase or sale, and whether the trader was an agent.'),
  amount: column('amount', int, 'Number of tickets traded.'),
  price: column('price', wei, 'Curve price of all tickets together, without fees, in wei.'),
  protocolFee: column('protocolFee', wei, 'Fee that the protocol received, in wei.'),
  agentFee: column('agentFee', wei, 'Fee that the agent received, in wei.'),
  total: computed(
    ['sale', 'price', 'protocolFee', 'agentFee'],
    wei,
    'Amount that the buyer paid, fees included, or the seller received, fees deducted, in wei.',
    ({ sale, price, protocolFee, agentFee }) => (sale ? price - protocolFee - agentFee : price + protocolFee + agentFee),
  ),
  pricePerUnit: computed(
    ['price', 'amount'],
    ethFloat,
    'Average curve price of one ticket (price / amount), without fees, in ETH. A quotient, rounded down to a wei: price is exact.',
    perUnit,
  ),
  pricePerUnitWei: graphqlOnly(computed(['price', 'amount'], wei, 'pricePerUnit in wei, rounded down.', perUnit)),
  costBasis: column('costBasis', nullable(ethFloat), 'FIFO cost of the tickets sold, fees included, in ETH. Null for a purchase.'),
  costBasisWei: column('costBasis', nullable(wei), 'costBasis in wei, as a decimal string. Null for a purchase.'),
  realizedPnl: column(
    'realizedPnl',
    nullable(ethFloat),
    'Profit or loss of the sale (total - costBasis), in ETH. Negative for a loss. Null for a purchase.',
  ),
  realizedPnlWei: column(
    'realizedPnl',
    nullable(wei),
    'realizedPnl in wei, as a decimal string. Negative for a loss. Null for a purchase.',
  ),
  thesis: column('thesis', nullable(foreignText), 'Reason that the trader gave for the trade. Null if there is none.'),
  eligibility: column(
    'eligibility',
    nullable(oneOf(thesisEligibility)),
    'Whether the thesis is a call that is judged. Null if there is none.',
  ),
  // GraphQL only: REST has the other fields of a thesis in lists of their own.
  confidence: graphqlOnly(
    column(
      'confidence',
      nullable(int),
      'Confidence of the trader that the trade pays within a day, in percent. Null if none was given.',
    ),
  ),
  thesisGivenAt: graphqlOnly(column('givenAt', nullable(time), 'Time when the thesis reached the service. Null if there is none.')),
  agentAddress: column('agent', address, 'Wallet address of the agent whose tickets were traded.'),
  agentName: restOnly(column('agentName', nullable(foreignText), `Name of the agent. ${NOT_REGISTERED}`)),
  agentId: restOnly(column('agentId', nullable(foreignText), `agentId of the agent. ${NOT_REGISTERED}`)),
  buyerOrSeller: named('traderAddress')(column('trader', address, 'Wallet address of the buyer or seller.')),
  buyerOrSellerName: restOnly(column('traderName', nullable(foreignText), `Name of the buyer or seller. ${NOT_REGISTERED}`)),
  buyerOrSellerAgentId: restOnly(
    column('traderAgentId', nullable(foreignText), `agentId of the buyer or seller. ${NOT_REGISTERED}`),
  ),
  txHash: column('txHash', hash, 'Hash of the transaction.'),
  blockNumber: column('blockNumber', int, 'Number of the block.'),
  createdAt: column('time', time, 'Time of the block.'),
};
export const trade = {
  ...sharedResource('Trade', 'Purchase or sale of tickets, as recorded on the chain.', table),
  isNode: true,
} as const;

function perUnit({ price, amount }: Pick<TradeRow, 'price' | 'amount'>): Wei {
  return price / BigInt(amount);
}

const positions = fieldsOf<{ readonly amount: number; readonly cost: Wei }>();
const holder = fieldsOf<{ readonly holder: string; readonly agent: string }>();
export const position = sharedResource('Position', 'Tickets that a wallet holds in an agent.', {
  id: holder.globalId('Position', 'holder', 'agent'),
  amount: positions.column('amount', int, 'Number of tickets that the wallet holds.'),
  avgCostBasis: positions.computed(
    ['cost', 'amount'],
    ethFloat,
    'Average cost of one ticket held, in ETH. 0 if the wallet holds none. A quotient, rounded down to a wei: costWei of GraphQL is exact.',
    averageCost,
  ),
  avgCostBasisWei: graphqlOnly(positions.computed(['cost', 'amount'], wei, 'avgCostBasis in wei, rounded down.', averageCost)),
  // GraphQL only, because the REST API follows a specification that fixes the fields of a position.
  costWei: graphqlOnly(positions.column('cost', wei, 'FIFO cost of all tickets held, fees included, in wei.')),
});

/** Average cost of one ticket in a position, in wei, rounded down. 0 if the position has no tickets. */
export function averageCost({ cost, amount }: { readonly cost: Wei; readonly amount: number }): Wei {
  return amount === 0 ? 0n : cost / BigInt(amount);
}
