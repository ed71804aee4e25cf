import { defineEntity, p } from '@mikro-orm/core';
import { AddressType, WeiType } from '../types.js';

/** Chain fact: tickets of one agent that a wallet holds. A position that is sold out has no row. */
export const TicketHoldingSchema = defineEntity({
  name: 'TicketHolding',
  properties: {
    agent: p.type(AddressType).primary(),
    holder: p.type(AddressType).primary(),
    amount: p.integer().check('amount > 0'),
    /** Cost of the remaining lots, in wei. */
    cost: p.type(WeiType).check('cost >= 0'),
    /** Time when the balance last rose from 0. */
    since: p.datetime(),
  },
  primaryKeys: ['agent', 'holder'],
  indexes: [
    { properties: ['agent', 'amount', 'holder'] },
    { properties: ['holder', 'amount', 'agent'] },
    { properties: ['since', 'agent'] },
  ],
});
export class TicketHolding extends TicketHoldingSchema.class {}
TicketHoldingSchema.setClass(TicketHolding);
