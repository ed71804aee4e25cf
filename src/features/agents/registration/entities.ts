import { defineEntity, p } from '@mikro-orm/core';
import { AddressType } from '../../../store/types.js';

/**
 * A wallet that once registered with its signature, so that every later registration needs a signature, too. The table has no
 * foreign key, because the row outlives the agent.
 */
export const SignedWallet = defineEntity({
  name: 'SignedWallet',
  properties: { wallet: p.type(AddressType).primary() },
});

/**
 * SHA-256 of an accepted registration message, stored until the message expires. It refuses the message a second time: otherwise
 * anyone who saw it could register the wallet again after the agent is deleted. The hash reveals nothing about the wallet.
 */
export const UsedSignature = defineEntity({
  name: 'UsedSignature',
  properties: {
    digest: p.blob().primary(),
    expiresAt: p.datetime().index(),
  },
});
