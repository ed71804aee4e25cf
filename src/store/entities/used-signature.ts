import { defineEntity, p } from '@mikro-orm/core';

/**
 * SHA-256 of an accepted registration message, stored until the message expires. It prevents a replay by someone who saw the
 * message, after the agent was deleted. The hash reveals nothing about the wallet.
 */
export const UsedSignatureSchema = defineEntity({
  name: 'UsedSignature',
  properties: {
    digest: p.blob().primary(),
    expiresAt: p.datetime().index(),
  },
});
export class UsedSignature extends UsedSignatureSchema.class {}
UsedSignatureSchema.setClass(UsedSignature);
