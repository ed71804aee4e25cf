import { defineEntity, p } from '@mikro-orm/core';
import { AddressType } from '../types.js';

/** How far the chain is indexed: one row, moved in the transaction that stores the facts up to it. */
export const IndexerCursorSchema = defineEntity({
  name: 'IndexerCursor',
  properties: {
    contract: p.type(AddressType).primary(),
    chainId: p.integer(),
    /** Every block up to this one is in the tables. */
    blockNumber: p.bigint('number').check('block_number >= -1'),
    /** Blocks up to this one are read again after a repair: what stands in them was told before. */
    rereadTo: p.bigint('number').nullable(),
    /** Why the indexer stopped, if it did. */
    fault: p.string().length(500).nullable(),
    updatedAt: p.datetime(),
  },
  uniques: [
    {
      name: 'indexer_cursor_single',
      expression: 'create unique index "indexer_cursor_single" on "indexer_cursor" ((true))',
    },
  ],
});
export class IndexerCursor extends IndexerCursorSchema.class {}
IndexerCursorSchema.setClass(IndexerCursor);
