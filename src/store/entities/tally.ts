import { defineEntity, p } from '@mikro-orm/core';

/** Row counts maintained by triggers, because counting takes long. `agents`: number of profiles. */
export const TallySchema = defineEntity({
  name: 'Tally',
  properties: {
    name: p.string().length(16).primary(),
    total: p.bigint('number'),
  },
});
export class Tally extends TallySchema.class {}
TallySchema.setClass(Tally);
