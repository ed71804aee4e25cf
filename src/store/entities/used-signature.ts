import { defineEntity, p } from '@mikro-orm/core';

/**
 * A registration message that was accepted, until it is too old to be accepted again: the deletion of its agent must
 * not let whoever saw it register the wallet once more. SHA-256 only, so that it says nothing of the wallet.
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
