import { defineEntity, p } from '@mikro-orm/core';
import { AddressType } from '../../store/types.js';

/** A verification code that is or was in use. The row outlives its agent, so that no other wallet gets the code too early. */
export const IssuedCode = defineEntity({
  name: 'IssuedCode',
  properties: {
    code: p.string().length(16).primary(),
    /**
     * The wallet that gets this code again at its next registration. null for a code that was issued before the service
     * stored wallets.
     */
    wallet: p.type(AddressType).nullable().index(),
    issuedAt: p.datetime().nullable(),
    /**
     * Time from which other wallets may get the code: 30 days after its unclaimed agent was deleted. null: only `wallet` may get
     * it.
     */
    freeFrom: p.datetime().nullable(),
  },
});

/**
 * A post that claimed an agent. It outlives the claim and the agent: the post stays public, and a later registration may get
 * the same verification code. The post can claim the same registration again, but no other one.
 */
export const UsedPost = defineEntity({
  name: 'UsedPost',
  properties: {
    postId: p.string().length(32).primary(),
    wallet: p.type(AddressType),
    /** Registration time of the claimed agent. Wallet and time identify the registration. */
    registeredAt: p.datetime(),
  },
});
