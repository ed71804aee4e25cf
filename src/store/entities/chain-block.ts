import { defineEntity, p } from '@mikro-orm/core';

/** Hash of an indexed block, stored until the block is final. A mismatch with the chain reveals a reorg. */
export const ChainBlockSchema = defineEntity({
  name: 'ChainBlock',
  properties: {
    number: p.bigint('number').primary().autoincrement(false),
    hash: p.string().length(66),
  },
});
export class ChainBlock extends ChainBlockSchema.class {}
ChainBlockSchema.setClass(ChainBlock);
