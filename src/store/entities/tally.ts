import { defineEntity, p } from '@mikro-orm/core';

/** Totals that would take long to count, kept by triggers: `agents`, the agents of this service. */
export const TallySchema = defineEntity({
  name: 'Tally',
  properties: {
    name: p.string().length(16).primary(),
    total: p.bigint('number'),
  },
});
export class Tally extends TallySchema.class {}
TallySchema.setClass(Tally);
