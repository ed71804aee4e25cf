import { defineEntity, p } from '@mikro-orm/core';
import { AddressType } from '../types.js';

/** What subscribers hear of: what happened, or that it did not happen after all. */
export const liveTopics = [
  'registration',
  'trade',
  'post',
  'notification',
  /** A market's supply is another one, although no trade was added. */
  'price',
  /** An event is no longer in the feed, although what happened stays. */
  'feed',
  /** An agent's profile, and with it its key, is gone. */
  'profile',
] as const;
export type LiveTopic = (typeof liveTopics)[number];

/** One event: it names what it is about, which is read where it stands when the event is sent. Kept for a day. */
export const LiveEventSchema = defineEntity({
  name: 'LiveEvent',
  properties: {
    sequence: p.bigint('number').primary().autoincrement(false).check('sequence > 0'),
    topic: p.enum(liveTopics),
    removed: p.boolean(),
    /** The id of the feed's event, or of the notification. */
    subject: p.string().length(22).nullable(),
    /** In whose tickets, who posted, or whose notification it is. */
    agent: p.type(AddressType),
    /** Tickets of the agent after it. */
    supply: p.bigint('number').nullable(),
    createdAt: p.datetime(),
  },
  indexes: [{ properties: ['agent', 'sequence'] }, { properties: ['subject', 'sequence'] }],
});
export class LiveEvent extends LiveEventSchema.class {}
LiveEventSchema.setClass(LiveEvent);
