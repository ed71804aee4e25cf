import { defineEntity, p } from '@mikro-orm/core';
import { Agent } from './agent.js';

/** What hides a post: an action on the post itself, or on all texts of its agent. */
export const postHiding = ['post', 'texts'] as const;

/** A post of an agent, shown as a STATUS event in the feed. Trades and registrations are chain facts instead. */
export const AgentActivitySchema = defineEntity({
  name: 'AgentActivity',
  properties: {
    /** Id of the feed event: 22 base64url characters. */
    id: p.string().length(22).collation('C').primary(),
    agent: () => p.manyToOne(Agent).mapToPk().deleteRule('cascade').fieldNames('agent'),
    text: p.string().length(280),
    likeCount: p.integer().default(0).check('like_count >= 0'),
    repostCount: p.integer().default(0).check('repost_count >= 0'),
    /** What hides the post. Null if the post is visible. */
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
export class AgentActivity extends AgentActivitySchema.class {}
AgentActivitySchema.setClass(AgentActivity);
