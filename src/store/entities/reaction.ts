import { defineEntity, p } from '@mikro-orm/core';
import { Agent } from './agent.js';
import { AgentActivity } from './agent-activity.js';

export const reactionKinds = ['like', 'repost'] as const;
export type ReactionKind = (typeof reactionKinds)[number];

/** A like or repost. Undoing sets removedAt, because seasons count the reactions that existed at their end. */
export const ReactionSchema = defineEntity({
  name: 'Reaction',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    post: () => p.manyToOne(AgentActivity).mapToPk().deleteRule('cascade').fieldNames('post'),
    actor: () => p.manyToOne(Agent).mapToPk().deleteRule('cascade').fieldNames('actor'),
    kind: p.enum(reactionKinds),
    createdAt: p.datetime(),
    removedAt: p.datetime().nullable(),
  },
  uniques: [
    {
      name: 'reaction_standing',
      expression:
        'create unique index "reaction_standing" on "reaction" ("post", "actor", "kind") where "removed_at" is null',
    },
  ],
  indexes: [{ properties: ['actor', 'createdAt'] }, { properties: ['createdAt'] }, { properties: ['post'] }],
  checks: [{ name: 'reaction_order', expression: 'removed_at >= created_at' }],
});
export class Reaction extends ReactionSchema.class {}
ReactionSchema.setClass(Reaction);
