import type { LiveEvent, LiveFilter, LiveTopic } from '../../../live/log.js';

/** The fields of the type Subscription. */
export type WatchedField = 'feedEvent' | 'trade' | 'price' | 'notification';

const topicsOf: Readonly<Record<WatchedField, readonly LiveTopic[]>> = {
  feedEvent: ['registration', 'trade', 'post', 'feed'],
  trade: ['trade'],
  price: ['registration', 'trade', 'price'],
  notification: ['notification'],
};

/**
 * Describes the events that a subscription watches. Resolvers of subscription fields return a Watch. graphql-js
 * requires an async iterable there, but nothing iterates over it: the hub reads the events once for all subscriptions.
 */
export class Watch {
  readonly filter: LiveFilter;

  constructor(
    readonly field: WatchedField,
    /** Wallet of the agent whose events are watched. undefined: events of all agents. */
    readonly agent: string | undefined,
    /** Sequence of the last event that the subscriber received, as text. */
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
