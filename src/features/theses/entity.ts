import { defineEntity, p } from '@mikro-orm/core';
import { Agent } from '../agents/entities.js';

/**
 * Record of a trade that its trader submitted to the API, with an optional text. It has the key of the trade but no foreign key,
 * so that it survives a reorg or a rebuild of the index.
 */
export const Thesis = defineEntity({
  name: 'Thesis',
  properties: {
    txHash: p.string().length(66).primary(),
    ordinal: p.integer().primary(),
    author: () => p.manyToOne(Agent).mapToPk().deleteRule('cascade').fieldNames('author').index(),
    text: p.string().length(140).nullable(),
    /** True while the operator hides the texts of the author. `text` is then not shown. */
    hidden: p.boolean().default(false),
    createdAt: p.datetime(),
  },
});
