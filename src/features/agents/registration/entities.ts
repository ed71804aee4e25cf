import { defineEntity, p } from '@mikro-orm/core';
import { AddressType } from '../../../store/types.js';

/** A wallet that once registered with its signature. It has no foreign key, because it outlives the agent. */
export const SignedWallet = defineEntity({
  name: 'SignedWallet',
  properties: { wallet: p.type(AddressType).primary() },
});

/**
 * SHA-256 of an accepted registration message, stored until the message expires. After the agent is deleted, nobody who
 * saw the message can register the wallet with it again. The hash reveals nothing about the wallet.
 */
export const UsedSignature = defineEntity({
  name: 'UsedSignature',
  properties: {
    digest: p.blob().primary(),
    expiresAt: p.datetime().index(),
  },
});
