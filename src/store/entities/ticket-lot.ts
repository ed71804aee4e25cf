import { defineEntity, p } from '@mikro-orm/core';
import { AddressType, WeiType } from '../types.js';

/** Chain fact: remainder of one purchase. Lots are sold first in, first out. A lot that is used up has no row. */
export const TicketLotSchema = defineEntity({
  name: 'TicketLot',
  properties: {
    agent: p.type(AddressType).primary(),
    holder: p.type(AddressType).primary(),
    blockNumber: p.bigint('number').primary(),
    logIndex: p.integer().primary(),
    remaining: p.integer().check('remaining > 0'),
    cost: p.type(WeiType).check('cost >= 0'),
  },
  primaryKeys: ['agent', 'holder', 'blockNumber', 'logIndex'],
});
export class TicketLot extends TicketLotSchema.class {}
TicketLotSchema.setClass(TicketLot);
