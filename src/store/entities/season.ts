import { defineEntity, p } from '@mikro-orm/core';

/** A season, [startAt, endAt). Seasons do not overlap, so at most one is active. */
export const SeasonSchema = defineEntity({
  name: 'Season',
  properties: {
    number: p.integer().primary().autoincrement(false).check('number >= 1'),
    startAt: p.datetime(),
    endAt: p.datetime(),
    scoredAt: p.datetime().nullable(),
    frozenAt: p.datetime().nullable(),
  },
  triggers: [
    {
      name: 'season_frozen',
      timing: 'before',
      events: ['update', 'delete'],
      forEach: 'row',
      body: `if old.frozen_at is not null then
        raise exception 'season % is frozen', old.number using errcode = 'check_violation';
      end if;
      if tg_op = 'DELETE' then return old; end if;
      return new`,
    },
  ],
  checks: [
    { name: 'season_order', expression: 'start_at <= end_at' },
    { name: 'season_one_active', expression: 'EXCLUDE USING gist (tstzrange(start_at, end_at) WITH &&)' },
  ],
});
export class Season extends SeasonSchema.class {}
SeasonSchema.setClass(Season);
