import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { AddressType } from '../../store/types.js';

export const moderationActions = ['hide', 'restore', 'rename-avatar'] as const;
export const moderationTargets = ['post', 'avatar', 'texts'] as const;
export type ModerationAction = (typeof moderationActions)[number];
export type ModerationTarget = (typeof moderationTargets)[number];

/** Record of an operator's action. It contains no content of agents. A trigger refuses to change or delete a record. */
export const Moderation = defineEntity({
  name: 'Moderation',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    action: p.enum(moderationActions),
    target: p.enum(moderationTargets),
    /** Id of the post, or wallet of the agent. */
    subject: p.string().length(42),
    /** Wallet of the agent whose content was hidden, restored or replaced. */
    agent: p.type(AddressType),
    /** URL of the picture that replaces the avatar. Null unless the action is rename-avatar. */
    avatarUrl: p.string().length(500).nullable(),
    operator: p.string().length(64),
    reason: p.string().length(200),
    createdAt: p.datetime(),
  },
  indexes: [{ properties: ['agent', 'id'] }],
  triggers: [
    {
      name: 'moderation_permanent',
      timing: 'before',
      events: ['update', 'delete'],
      forEach: 'row',
      body: `raise exception 'the record of moderation is permanent' using errcode = 'check_violation'`,
    },
  ],
});
export type Moderation = InferEntity<typeof Moderation>;
