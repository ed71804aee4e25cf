import { defineEntity, p } from '@mikro-orm/core';

/** The hash of a block that was indexed, kept until the block is final: a mismatch is a reorganisation. */
export const ChainBlockSchema = defineEntity({
  name: 'ChainBlock',
  properties: {
    number: p.bigint('number').primary().autoincrement(false),
    hash: p.string().length(66),
  },
});
export class ChainBlock extends ChainBlockSchema.class {}
ChainBlockSchema.setClass(ChainBlock);
