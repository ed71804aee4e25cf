import { defineEntity, p } from '@mikro-orm/core';

/** A post on the embedded post host. Unused if a text proxy is configured. */
export const DevPost = defineEntity({
  name: 'DevPost',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    handle: p.string().length(50),
    text: p.string().length(1000),
    createdAt: p.datetime(),
  },
});
