import { defineEntity, p } from '@mikro-orm/core';
import { AddressType } from '../types.js';

/**
 * What the lists of agents filter and sort by, profile and market together in one narrow row of a wallet. The triggers
 * of Agent and Market keep it, each its own part, in the transaction of the change: whichever comes first makes the row.
 */
export const ListingSchema = defineEntity({
  name: 'Listing',
  properties: {
    wallet: p.type(AddressType).primary(),
    /** The profile: null as long as the wallet is not registered here. */
    agentId: p.string().length(30).collation('C').nullable(),
    isClaimed: p.boolean().default(false),
    createdAt: p.datetime().nullable(),
    /** The market: null as long as it is not indexed. */
    supply: p.bigint('number').nullable(),
    holderCount: p.integer().nullable(),
    tradeCount: p.integer().nullable(),
  },
  indexes: [
    { name: 'listing_newest', properties: ['createdAt', 'wallet'], where: 'created_at is not null' },
    {
      name: 'listing_supply',
      properties: ['supply', 'wallet'],
      where: 'created_at is not null and supply is not null',
    },
    {
      name: 'listing_holders',
      properties: ['holderCount', 'wallet'],
      where: 'created_at is not null and supply is not null',
    },
  ],
});
export class Listing extends ListingSchema.class {}
ListingSchema.setClass(Listing);
