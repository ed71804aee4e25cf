import { defineEntity, p } from '@mikro-orm/core';

/**
 * Last sequence number of live events: one row. A transaction increases it in its last statement and keeps the row locked
 * until its commit, so that numbers follow the order of commits without gaps.
 */
export const LiveCursorSchema = defineEntity({
  name: 'LiveCursor',
  properties: {
    id: p.integer().primary().autoincrement(false).check('id = 1'),
    last: p.bigint('number').check('last >= 0'),
  },
});
export class LiveCursor extends LiveCursorSchema.class {}
LiveCursorSchema.setClass(LiveCursor);
