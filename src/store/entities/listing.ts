import { defineEntity, p } from '@mikro-orm/core';
import { AddressType } from '../types.js';

/**
 * Columns by which lists of agents filter and sort, from profile and market, in one narrow row per wallet. Triggers of Agent
 * and Market maintain it in the transaction of the change, each its own columns.
 */
export const ListingSchema = defineEntity({
  name: 'Listing',
  properties: {
    wallet: p.type(AddressType).primary(),
    /** From the profile. null if the wallet has no profile. */
    agentId: p.string().length(30).collation('C').nullable(),
    isClaimed: p.boolean().default(false),
    createdAt: p.datetime().nullable(),
    /** From the market. null if the market is not indexed. */
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
