import { defineEntity, p } from '@mikro-orm/core';
import { AddressType } from '../types.js';

/** Position of the index: one row, updated in the transaction that stores the facts. */
export const IndexerCursorSchema = defineEntity({
  name: 'IndexerCursor',
  properties: {
    contract: p.type(AddressType).primary(),
    chainId: p.integer(),
    /** Newest indexed block. */
    blockNumber: p.bigint('number').check('block_number >= -1'),
    /** Blocks up to this one are read again after a repair. Subscribers may already know their facts. */
    rereadTo: p.bigint('number').nullable(),
    /** Reason why the indexer stopped. null while it runs. */
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
