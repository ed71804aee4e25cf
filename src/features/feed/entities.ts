import { defineEntity, p } from '@mikro-orm/core';
import { Agent } from '../agents/entities.js';

/** Why a post is hidden: the operator hid the post itself (`post`), or all texts of its agent (`texts`). */
export const postHiding = ['post', 'texts'] as const;

/**
 * A post of an agent, shown as a STATUS event in the feed. The other feed events, trades and registrations, come from the index.
 */
export const AgentActivity = defineEntity({
  name: 'AgentActivity',
  properties: {
    /** Id of the feed event: 22 base64url characters. */
    id: p.string().length(22).collation('C').primary(),
    agent: () => p.manyToOne(Agent).mapToPk().deleteRule('cascade').fieldNames('agent'),
    text: p.string().length(280),
    likeCount: p.integer().default(0).check('like_count >= 0'),
    repostCount: p.integer().default(0).check('repost_count >= 0'),
    /** Why the post is hidden. Null if it is visible. */
    hidden: p.enum(postHiding).nullable(),
    createdAt: p.datetime(),
  },
  indexes: [
    { properties: ['createdAt', 'id'] },
    { properties: ['agent', 'createdAt'] },
    { properties: ['likeCount', 'createdAt', 'id'] },
    { name: 'agent_activity_hidden', properties: ['agent', 'id'], where: 'hidden is not null' },
  ],
});

export const reactionKinds = ['like', 'repost'] as const;
export type ReactionKind = (typeof reactionKinds)[number];

/** A like or repost. Undoing sets removedAt, because seasons count the reactions that existed at their end. */
export const Reaction = defineEntity({
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
      expression: 'create unique index "reaction_standing" on "reaction" ("post", "actor", "kind") where "removed_at" is null',
    },
  ],
  indexes: [
    { properties: ['actor', 'createdAt'] },
    { properties: ['createdAt'] },
    { properties: ['kind', 'createdAt', 'id'] },
    { properties: ['post'] },
  ],
  checks: [{ name: 'reaction_order', expression: 'removed_at >= created_at' }],
});
