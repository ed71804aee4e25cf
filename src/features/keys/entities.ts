import { defineEntity, p } from '@mikro-orm/core';
import { AddressType } from '../../store/types.js';

/**
 * A replacement of an API key in the last day: its nonce cannot be used again, and it counts in the limit of the wallet. It
 * has no foreign key, because it outlives the agent.
 */
export const KeyReplacementSchema = defineEntity({
  name: 'KeyReplacement',
  properties: {
    wallet: p.type(AddressType).primary(),
    nonce: p.string().length(64).collation('C').primary(),
    createdAt: p.datetime().index(),
  },
});
export class KeyReplacement extends KeyReplacementSchema.class {}
KeyReplacementSchema.setClass(KeyReplacement);

/** A wallet that once registered with its signature. It has no foreign key, because it outlives the agent. */
export const SignedWalletSchema = defineEntity({
  name: 'SignedWallet',
  properties: { wallet: p.type(AddressType).primary() },
});
export class SignedWallet extends SignedWalletSchema.class {}
SignedWalletSchema.setClass(SignedWallet);

/**
 * SHA-256 of an accepted registration message, stored until the message expires. After the agent is deleted, nobody who
 * saw the message can register the wallet with it again. The hash reveals nothing about the wallet.
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
