import { defineEntity, p } from '@mikro-orm/core';
import { AddressType, WeiType } from '../types.js';

export const tradeTypes = ['BUY', 'SELL', 'AGENT_BUY', 'AGENT_SELL'] as const;
export type TradeType = (typeof tradeTypes)[number];

/** Chain fact: one TicketsBought or TicketsSold log. The key (txHash, ordinal) survives a reorg. */
export const TransactionSchema = defineEntity({
  name: 'Transaction',
  properties: {
    txHash: p.string().length(66).primary(),
    /** Index among the contract's logs of the transaction. */
    ordinal: p.integer().primary(),
    type: p.enum(tradeTypes),
    trader: p.type(AddressType),
    agent: p.type(AddressType),
    amount: p.integer().check('amount >= 1 and amount <= 20'),
    price: p.type(WeiType).check('price >= 0'),
    protocolFee: p.type(WeiType).check('protocol_fee >= 0'),
    agentFee: p.type(WeiType).check('agent_fee >= 0'),
    supplyAfter: p.bigint('number').check('supply_after >= 1'),
    /** FIFO cost of the sold tickets and the profit on them, in wei. null for a purchase. */
    costBasis: p.type(WeiType).nullable().check('cost_basis >= 0'),
    realizedPnl: p.type(WeiType).nullable(),
    blockNumber: p.bigint('number'),
    logIndex: p.integer(),
    blockTime: p.datetime(),
    eventId: p.string().length(22).collation('C').unique(),
  },
  primaryKeys: ['txHash', 'ordinal'],
  uniques: [{ properties: ['blockNumber', 'logIndex'] }],
  indexes: [
    { properties: ['agent', 'blockNumber', 'logIndex'] },
    { properties: ['trader', 'blockNumber', 'logIndex'] },
    { properties: ['agent', 'blockTime', 'price'] },
    { properties: ['blockTime', 'blockNumber', 'ordinal', 'eventId'] },
    // Index for the newest sales of a wallet that buys often and sells rarely.
    {
      name: 'transaction_sales',
      properties: ['trader', 'blockNumber', 'logIndex'],
      where: 'realized_pnl is not null',
    },
  ],
});
export class Transaction extends TransactionSchema.class {}
TransactionSchema.setClass(Transaction);
