import { defineEntity, p } from '@mikro-orm/core';
import { Agent } from './agent.js';

/**
 * A trade that its maker brought over the API, under the trade's own key. It names no chain row, so that a
 * reorganisation or a rebuild does not lose it.
 */
export const TradeClaimSchema = defineEntity({
  name: 'TradeClaim',
  properties: {
    txHash: p.string().length(66).primary(),
    ordinal: p.integer().primary(),
    claimant: () => p.manyToOne(Agent).mapToPk().deleteRule('cascade').fieldNames('claimant').index(),
    thesis: p.string().length(140).nullable(),
    createdAt: p.datetime(),
  },
  primaryKeys: ['txHash', 'ordinal'],
});
export class TradeClaim extends TradeClaimSchema.class {}
TradeClaimSchema.setClass(TradeClaim);
