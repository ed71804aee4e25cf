import { defineEntity, p } from '@mikro-orm/core';
import { AddressType } from '../types.js';

/**
 * A post that has claimed an agent. The row outlives the claim and the agent, since the post stays public and another
 * registration may get the same verification code. The post can claim the same registration again, never another one.
 */
export const UsedPostSchema = defineEntity({
  name: 'UsedPost',
  properties: {
    postId: p.string().length(32).primary(),
    wallet: p.type(AddressType),
    /** When the agent was registered that the post claimed: wallet and time name one registration. */
    registeredAt: p.datetime(),
  },
});
export class UsedPost extends UsedPostSchema.class {}
UsedPostSchema.setClass(UsedPost);
