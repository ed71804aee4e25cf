import { defineEntity, p } from '@mikro-orm/core';
import { AddressType } from '../store/types.js';

/** Topics of live events. `removed` of an event marks a retraction. */
export const liveTopics = [
  'registration',
  'trade',
  /** The reason of a trade was recorded, and the index has the trade. */
  'thesis',
  /** A call was judged at one of its horizons. The event is about its author. */
  'outcome',
  'post',
  'notification',
  /** The supply of a market changed without a new trade, after a reorg. */
  'price',
  /** An event left the feed, because the profile of its agent was deleted. Its facts remain on the chain. */
  'feed',
  /** The key of an agent became invalid: the profile was deleted (`removed`), or the key was replaced. */
  'profile',
] as const;
export type LiveTopic = (typeof liveTopics)[number];

/** A live event. It refers to its subject, which is read when the event is sent. Deleted after 24 hours. */
export const LiveEventTable = defineEntity({
  name: 'LiveEvent',
  properties: {
    sequence: p.bigint('number').primary().autoincrement(false).check('sequence > 0'),
    topic: p.enum(liveTopics),
    removed: p.boolean(),
    /** Id of the feed event or of the notification. null for the topics `price` and `profile`. */
    subject: p.string().length(22).nullable(),
    /** The agent that the event is about: whose tickets were traded, that posted, or that is notified, for example. */
    agent: p.type(AddressType),
    /** Supply of the agent's tickets after the event. null if the event does not report it. */
    supply: p.bigint('number').nullable(),
    createdAt: p.datetime(),
  },
  indexes: [{ properties: ['agent', 'sequence'] }, { properties: ['subject', 'sequence'] }],
});

/**
 * Last sequence of live events: one row. Transactions lock it until their commit, so that sequences follow commits (announce.ts).
 */
export const LiveCursor = defineEntity({
  name: 'LiveCursor',
  properties: {
    id: p.integer().primary().autoincrement(false).check('id = 1'),
    last: p.bigint('number').check('last >= 0'),
  },
});
