import { defineEntity, p } from '@mikro-orm/core';
import { AddressType, WeiType } from '../types.js';

/** Chain fact: one AgentFeesWithdrawn log. */
export const FeeWithdrawalSchema = defineEntity({
  name: 'FeeWithdrawal',
  properties: {
    txHash: p.string().length(66).primary(),
    ordinal: p.integer().primary(),
    agent: p.type(AddressType),
    amount: p.type(WeiType).check('amount >= 0'),
    blockNumber: p.bigint('number'),
    logIndex: p.integer(),
    blockTime: p.datetime(),
  },
  primaryKeys: ['txHash', 'ordinal'],
  indexes: [{ properties: ['agent', 'blockNumber'] }, { properties: ['blockNumber'] }],
});
export class FeeWithdrawal extends FeeWithdrawalSchema.class {}
FeeWithdrawalSchema.setClass(FeeWithdrawal);
