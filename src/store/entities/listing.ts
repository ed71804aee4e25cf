import { defineEntity, p } from '@mikro-orm/core';
import { AddressType } from '../types.js';

/**
 * Columns by which lists of agents filter and sort, from profile and market, in one narrow row per wallet. Triggers of
 * Agent and Market maintain the row in the transaction of the change. Each trigger writes only the columns of its
 * table.
 */
export const ListingSchema = defineEntity({
  name: 'Listing',
  properties: {
    wallet: p.type(AddressType).primary(),
    /** The columns from here on come from the profile. null if the wallet has no profile. */
    agentId: p.string().length(30).collation('C').nullable(),
    isClaimed: p.boolean().default(false),
    createdAt: p.datetime().nullable(),
    /** The columns from here on come from the market. null if the market is not indexed. */
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
