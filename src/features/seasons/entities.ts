import { defineEntity, p } from '@mikro-orm/core';
import { Agent } from '../agents/entities.js';

/** A season: the half-open interval [startAt, endAt). Seasons do not overlap, so at most one season is active. */
export const SeasonTable = defineEntity({
  name: 'Season',
  properties: {
    number: p.integer().primary().autoincrement(false).check('number >= 1'),
    startAt: p.datetime(),
    endAt: p.datetime(),
    scoredAt: p.datetime().nullable(),
    /** Time from which the database refuses changes of the season and its points. null: they can still change. */
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

const points = () => p.double().default(0);

/**
 * Points of an agent in a season, as last computed. If the season is frozen, a trigger refuses every change except the deletion of
 * the agent.
 */
export const AgentSeasonPoints = defineEntity({
  name: 'AgentSeasonPoints',
  properties: {
    season: () => p.manyToOne(SeasonTable).mapToPk().primary().fieldNames('season'),
    agent: () => p.manyToOne(Agent).mapToPk().primary().deleteRule('cascade').fieldNames('agent').index(),
    pricePoints: points(),
    holderPoints: points(),
    volumePoints: points(),
    holdingPoints: points(),
    crossTradingPoints: points(),
    diversityPoints: points(),
    uptimePoints: points(),
    consistencyPoints: points(),
    agePoints: points(),
    referralPoints: points(),
    engagementPoints: points(),
    verifiedBonus: points(),
    totalPoints: points(),
    /**
     * Number of earlier seasons in which the agent has points. It is stored, so that scoring only needs the row of the previous
     * season.
     */
    seasonAge: p.integer().default(0).check('season_age >= 0'),
    rank: p.integer().check('rank >= 1'),
    computedAt: p.datetime(),
  },
  indexes: [{ properties: ['season', 'rank', 'agent'] }],
  triggers: [
    {
      name: 'agent_season_points_frozen',
      timing: 'before',
      events: ['insert', 'update', 'delete'],
      forEach: 'row',
      body: `if tg_op = 'DELETE' then
        if exists (select from season where number = old.season and frozen_at is not null)
          and exists (select from agent where wallet = old.agent) then
          raise exception 'season % is frozen', old.season using errcode = 'check_violation';
        end if;
        return old;
      end if;
      if exists (select from season where number in (new.season, old.season) and frozen_at is not null) then
        raise exception 'season % is frozen', coalesce(old.season, new.season) using errcode = 'check_violation';
      end if;
      return new`,
    },
  ],
});
