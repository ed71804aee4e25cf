import type { Deps } from '../../deps.js';
import type { LiveEvent, LiveTopic } from '../../live/log.js';
import type { GraphContext } from '../graphql/context.js';

/** A field of the type Subscription, and the events that it delivers. */
export type LiveField = {
  readonly name: string;
  readonly topics: readonly LiveTopic[];
  /** Whether it delivers this event of its topics. If omitted, it delivers all of them. */
  readonly delivers?: (event: LiveEvent) => boolean;
};

/** What a subscription watches. graphql-js requires an async iterable, but it stays empty, because the hub sends the events. */
export class Watch {
  constructor(
    readonly field: LiveField,
    /** Wallet of the agent whose events are watched. undefined: events of all agents. */
    readonly agent: string | undefined,
    /** Sequence after which the subscription begins, as the client sent it. undefined: it gets only new events. */
    readonly after: string | undefined,
  ) {}

  matches(event: LiveEvent): boolean {
    const { topics, delivers } = this.field;
    if (!topics.includes(event.topic) || (this.agent !== undefined && event.agent !== this.agent)) return false;
    return delivers?.(event) ?? true;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<never> {}
}

/** Events that a subscription watches. `viewer` is the wallet of the agent that gets them, null for a client without an API key. */
export type WantedEvents = { readonly watch: Watch; readonly viewer: string | null; readonly events: readonly LiveEvent[] };

/** The payload of an event for a subscriber. null if the content no longer exists; a later event reports its removal. */
export type PayloadOf = (watch: Watch, event: LiveEvent, context: GraphContext) => object | null;

/**
 * Reads the contents of events once for all subscribers, with a number of SQL statements that does not grow with the subscribers.
 */
export type ReadPayloads = (deps: Deps, wanted: readonly WantedEvents[]) => Promise<PayloadOf>;
