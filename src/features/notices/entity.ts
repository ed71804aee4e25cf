import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { notificationTypes } from '../../live/notices.js';
import { AddressType } from '../../store/types.js';
import { Agent } from '../agents/entities.js';

export const Notification = defineEntity({
  name: 'Notification',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    recipient: () => p.manyToOne(Agent).mapToPk().deleteRule('cascade').fieldNames('recipient'),
    type: p.enum(notificationTypes),
    /** The wallet that acted. The notification is deleted with the agent of that wallet. */
    actor: p.type(AddressType).nullable().index(),
    /**
     * Deduplication key: the key of a trade, the wallet of a follower, the wallet and post of a reaction, the nonce of a key
     * replacement, or the id of a moderation record.
     */
    subject: p.string().length(140),
    message: p.string().length(280),
    data: p.json<Record<string, string | number | null>>(),
    createdAt: p.datetime(),
    readAt: p.datetime().nullable(),
  },
  indexes: [
    { properties: ['recipient', 'createdAt', 'id'] },
    // Storing a notification searches by all four columns. Retracting a notification searches by subject alone.
    { properties: ['subject', 'recipient', 'type', 'createdAt'] },
    { properties: ['createdAt'] },
  ],
});
export type Notification = InferEntity<typeof Notification>;
