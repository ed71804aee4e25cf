import { defineEntity, p } from '@mikro-orm/core';

/**
 * The last sequence number of live events: one row. Whoever writes events raises it in its last statement and holds it
 * until its transaction ends, so that numbers are given in the order of the commits, without gaps.
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
