import { defineEntity, p } from '@mikro-orm/core';
import { AddressType } from '../types.js';

/** A wallet that once registered with its signature. It has no foreign key, because it outlives the agent. */
export const SignedWalletSchema = defineEntity({
  name: 'SignedWallet',
  properties: { wallet: p.type(AddressType).primary() },
});
export class SignedWallet extends SignedWalletSchema.class {}
SignedWalletSchema.setClass(SignedWallet);
