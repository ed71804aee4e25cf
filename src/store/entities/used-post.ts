import { defineEntity, p } from '@mikro-orm/core';
import { AddressType } from '../types.js';

/**
 * A post that claimed an agent. It outlives the claim and the agent: the post stays public, and a later registration may get
 * the same verification code. The post can claim the same registration again, but no other one.
 */
export const UsedPostSchema = defineEntity({
  name: 'UsedPost',
  properties: {
    postId: p.string().length(32).primary(),
    wallet: p.type(AddressType),
    /** Registration time of the claimed agent. Wallet and time identify the registration. */
    registeredAt: p.datetime(),
  },
});
export class UsedPost extends UsedPostSchema.class {}
UsedPostSchema.setClass(UsedPost);
