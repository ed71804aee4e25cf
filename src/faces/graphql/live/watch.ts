import type { LiveEvent, LiveFilter, LiveTopic } from '../../../core/events/queries/live-events.js';

/** The fields that can be subscribed to. */
export type WatchedField = 'feedEvent' | 'trade' | 'price' | 'notification';

const topicsOf: Readonly<Record<WatchedField, readonly LiveTopic[]>> = {
  feedEvent: ['registration', 'trade', 'post', 'feed'],
  trade: ['trade'],
  price: ['registration', 'trade', 'price'],
  notification: ['notification'],
};

/**
 * What a subscriber wants to hear of. It is what the fields of the schema answer when they are subscribed to. graphql-js
 * wants an iterable there; nobody iterates: the hub follows it, once for all who watch the same.
 */
export class Watch {
  readonly filter: LiveFilter;

  constructor(
    readonly field: WatchedField,
    /** In whose tickets, whose posts, or whose notifications; of all without it. */
    readonly agent: string | undefined,
    /** The last event that the subscriber has seen. */
    readonly after: string | undefined,
  ) {
    this.filter = { topics: topicsOf[field], ...(agent === undefined ? {} : { agent }) };
  }

  matches({ topic, agent, supply, removed }: LiveEvent): boolean {
    if (!this.filter.topics.includes(topic) || (this.agent !== undefined && agent !== this.agent)) return false;
    return this.field !== 'price' || (supply !== null && !removed);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<never> {}
}
