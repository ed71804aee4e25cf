import { defineEntity, p } from '@mikro-orm/core';
import { Agent } from '../agents/entities.js';

/**
 * A follow of an agent by another. Unfollowing sets `removedAt` and does not delete the row, because seasons count the follows
 * that existed at their end.
 */
export const AgentFollow = defineEntity({
  name: 'AgentFollow',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    follower: () => p.manyToOne(Agent).mapToPk().deleteRule('cascade').fieldNames('follower'),
    followed: () => p.manyToOne(Agent).mapToPk().deleteRule('cascade').fieldNames('followed'),
    createdAt: p.datetime(),
    removedAt: p.datetime().nullable(),
  },
  uniques: [
    {
      name: 'agent_follow_standing',
      expression:
        'create unique index "agent_follow_standing" on "agent_follow" ("follower", "followed") where "removed_at" is null',
    },
  ],
  indexes: [
    { properties: ['followed', 'createdAt', 'id'] },
    { properties: ['follower', 'createdAt', 'id'] },
    { properties: ['createdAt'] },
  ],
  checks: [
    { name: 'agent_follow_not_self', expression: 'follower <> followed' },
    { name: 'agent_follow_order', expression: 'removed_at >= created_at' },
  ],
});
