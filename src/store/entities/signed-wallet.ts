import { defineEntity, p } from '@mikro-orm/core';
import { AddressType } from '../types.js';

/** A wallet that has registered with its signature. It references no agent, so that it outlives the deletion of the agent. */
export const SignedWalletSchema = defineEntity({
  name: 'SignedWallet',
  properties: { wallet: p.type(AddressType).primary() },
});
export class SignedWallet extends SignedWalletSchema.class {}
SignedWalletSchema.setClass(SignedWallet);
