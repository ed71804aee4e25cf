import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { AddressType } from '../../../store/types.js';

/**
 * A replacement of an API key in the last day: its nonce cannot be used again, and it counts in the limit of the wallet. The table
 * has no foreign key, because the row outlives the agent.
 */
export const KeyReplacement = defineEntity({
  name: 'KeyReplacement',
  properties: {
    wallet: p.type(AddressType).primary(),
    nonce: p.string().length(64).collation('C').primary(),
    createdAt: p.datetime().index(),
  },
});
export type KeyReplacement = InferEntity<typeof KeyReplacement>;

/**
 * SHA-256 of an API key that ended: its agent was deleted, or the key was replaced. A request with it is refused, but not counted
 * as a guessed key. The row has no wallet, so it reveals nothing about a deleted agent.
 */
export const FormerKey = defineEntity({
  name: 'FormerKey',
  properties: {
    hash: p.blob().primary(),
    endedAt: p.datetime().index(),
  },
});
