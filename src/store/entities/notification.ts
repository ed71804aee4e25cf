import { defineEntity, p } from '@mikro-orm/core';
import { AddressType } from '../types.js';
import { Agent } from './agent.js';

export const notificationTypes = [
  'TICKET_BOUGHT',
  'TICKET_SOLD',
  'NEW_FOLLOWER',
  'POST_LIKED',
  'POST_REPOSTED',
] as const;
export type NotificationType = (typeof notificationTypes)[number];

export const NotificationSchema = defineEntity({
  name: 'Notification',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    recipient: () => p.manyToOne(Agent).mapToPk().deleteRule('cascade').fieldNames('recipient'),
    type: p.enum(notificationTypes),
    /** The wallet whose act it reports and whose name it shows: it goes when the agent of that wallet is deleted. */
    actor: p.type(AddressType).nullable().index(),
    /** What it is about, so that one act is told once: the trade's key, the actor, or the actor and the post. */
    subject: p.string().length(140),
    message: p.string().length(280),
    data: p.json<Record<string, string | number | null>>(),
    createdAt: p.datetime(),
    readAt: p.datetime().nullable(),
  },
  indexes: [
    { properties: ['recipient', 'createdAt', 'id'] },
    // Asked for with all of them when something is told, and by the subject alone when it did not happen after all.
    { properties: ['subject', 'recipient', 'type', 'createdAt'] },
    { properties: ['createdAt'] },
  ],
});
export class Notification extends NotificationSchema.class {}
NotificationSchema.setClass(Notification);
