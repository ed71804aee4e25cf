import { defineEntity, p } from '@mikro-orm/core';
import { Agent } from '../agents/entities.js';

/**
 * Record of a trade that its trader submitted to the API, with an optional thesis. It has the trade's key but no foreign key,
 * so a reorg or a rebuild does not delete it. The table has an older name, `trade_claim`.
 */
export const ThesisRecord = defineEntity({
  name: 'ThesisRecord',
  tableName: 'trade_claim',
  properties: {
    txHash: p.string().length(66).primary(),
    ordinal: p.integer().primary(),
    trader: () => p.manyToOne(Agent).mapToPk().deleteRule('cascade').fieldNames('claimant').index(),
    thesis: p.string().length(140).nullable(),
    /** True while the operator hides the texts of the trader. */
    hidden: p.boolean().default(false),
    createdAt: p.datetime(),
  },
});
