import { defineEntity, p } from '@mikro-orm/core';
import { AddressType } from '../types.js';

export const profileParts = ['avatar', 'texts'] as const;
export type ProfilePart = (typeof profileParts)[number];

/**
 * Part of a profile that the operator has hidden or replaced, with what the agent had written there. The table has no
 * foreign key: the row outlives the agent, so that a later registration of the wallet does not undo it.
 */
export const HiddenProfileSchema = defineEntity({
  name: 'HiddenProfile',
  properties: {
    wallet: p.type(AddressType).primary(),
    part: p.enum(profileParts).primary(),
    /** The original of an avatar. Null if there was none, or if the agent was deleted. */
    avatarUrl: p.string().length(500).nullable(),
    /** The texts before they were hidden. A restored profile gets them back. */
    description: p.string().length(160).nullable(),
    bio: p.string().length(200).nullable(),
    createdAt: p.datetime(),
  },
  primaryKeys: ['wallet', 'part'],
});
export class HiddenProfile extends HiddenProfileSchema.class {}
HiddenProfileSchema.setClass(HiddenProfile);
