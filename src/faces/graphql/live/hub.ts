import type { GraphQLSchema } from 'graphql';
import { type LiveEvent, liveBounds, liveEvents, liveEventsOf } from '../../../core/live/queries.js';
import type { Deps } from '../../../deps.js';
import { AppError } from '../../../errors.js';
import type { Actor } from '../../authenticate.js';
import { contextOf, type GraphContext } from '../context.js';
import { answerOf, type Operation, sharedBy } from './operation.js';
import { payloadOf, readContents } from './payloads.js';
import type { Watch } from './watch.js';

/** Where the answers of a subscription go. */
export type Sender = {
  send(json: string, sequence: number): void;
  /** Fulfilled when the client has taken enough of what was sent to be sent more; rejected when it is gone. */
  ready(): Promise<void>;
  /** Ends the subscription, with the reason. */
  end(error: Error): void;
};

/** Events that are read, and answers that are made, at once. */
const PAGE = 200;
/** On a server with other replicas, so often whoever waits looks by himself. */
const LOOK_EVERY_MS = 1000;

type Subscriber = { readonly sender: Sender; at: number; gone: boolean };
type Group = {
  readonly operation: Operation;
  readonly watch: Watch;
  readonly actor: Actor | null;
  readonly subscribers: Set<Subscriber>;
};
type Answer = { readonly sequence: number; readonly json: string };

export type Subscription = { readonly operation: Operation; readonly watch: Watch; readonly context: GraphContext };

/**
 * Sends live events to the subscribers of this process. Those who ask the same and may see the same are a group: an event
 * is executed and made into text once for all of them. Each subscriber knows the number of the last event that it has
 * passed, and hears of what is above it, so that none is missing and none comes twice, however it joins.
 */
export class Hub {
  readonly #groups = new Map<string, Group>();
  #unlisten: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #running = false;
  #woken = false;

  constructor(
    private readonly deps: Deps,
    private readonly schema: GraphQLSchema,
  ) {}

  /** Begins to send what the subscription asks for. The answer ends it. */
  async follow({ operation, watch, context }: Subscription, sender: Sender): Promise<() => void> {
    const { forgotten, last } = await liveBounds(this.deps);
    const after = watch.after === undefined ? last : sequenceOf(watch.after);
    if (after < forgotten || after > last) throw new AppError('EVENTS_FORGOTTEN');
    const { actor } = context;
    const group = { operation, watch, actor, subscribers: new Set<Subscriber>() };
    const subscriber: Subscriber = { sender, at: after, gone: false };
    const key = sharedBy(operation, watch, actor?.wallet ?? null);
    this.#replay(group, subscriber, last)
      .then(() => this.#join(key, group, subscriber))
      .catch((error: unknown) => {
        if (!subscriber.gone) sender.end(error as Error);
      });
    return () => this.#leave(key, subscriber);
  }

  /** What was missed, for this subscriber alone and no faster than it reads; others do not wait for it. */
  async #replay(group: Group, subscriber: Subscriber, upTo: number): Promise<void> {
    while (!subscriber.gone && subscriber.at < upTo) {
      const after = subscriber.at;
      const events = await liveEventsOf(this.deps, group.watch.filter, { after, upTo, limit: PAGE });
      const [answers = []] = await this.#answers([{ group, events }]);
      for (const { sequence, json } of answers) {
        if (subscriber.gone) return;
        subscriber.sender.send(json, sequence);
        await subscriber.sender.ready();
      }
      subscriber.at = events.length < PAGE ? upTo : (events.at(-1)?.sequence ?? upTo);
    }
  }

  #join(key: string, group: Group, subscriber: Subscriber): void {
    if (subscriber.gone) return;
    const known = this.#groups.get(key);
    if (known) known.subscribers.add(subscriber);
    else this.#groups.set(key, { ...group, subscribers: new Set([subscriber]) });
    this.#unlisten ??= this.deps.live.listen(() => this.#wake());
    if (this.deps.config.DATABASE_URL !== undefined) this.#timer ??= setInterval(() => this.#wake(), LOOK_EVERY_MS);
    // What has happened since it began.
    this.#wake();
  }

  #leave(key: string, subscriber: Subscriber): void {
    subscriber.gone = true;
    const group = this.#groups.get(key);
    group?.subscribers.delete(subscriber);
    if (group?.subscribers.size === 0) this.#groups.delete(key);
    if (this.#groups.size > 0) return;
    this.#unlisten?.();
    this.#unlisten = undefined;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** One reads at a time; who calls meanwhile has it look once more. */
  #wake(): void {
    this.#woken = true;
    if (this.#running) return;
    this.#running = true;
    this.#run()
      .catch((error: unknown) => {
        this.deps.log.warn({ err: error }, 'live events could not be read; trying again');
        setTimeout(() => this.#wake(), LOOK_EVERY_MS).unref();
      })
      .finally(() => {
        this.#running = false;
        if (this.#woken && this.#groups.size > 0) this.#wake();
      });
  }

  async #run(): Promise<void> {
    while (this.#woken && this.#groups.size > 0) {
      this.#woken = false;
      if (await this.#turn()) this.#woken = true;
    }
  }

  /** Sends the next events, from where the last of the subscribers is. Says whether there may be more. */
  async #turn(): Promise<boolean> {
    // Who joins from here on has its turn next time.
    const present = [...this.#groups.values()].map((group) => ({ group, subscribers: [...group.subscribers] }));
    const lowest = present.map(({ subscribers }) => Math.min(...subscribers.map(({ at }) => at)));
    const events = await liveEvents(this.deps, Math.min(...lowest), PAGE);
    const last = events.at(-1);
    if (last === undefined) return false;
    const wanted = present.map(({ group }, i) => ({
      group,
      events: events.filter((event) => event.sequence > (lowest[i] ?? 0) && group.watch.matches(event)),
    }));
    const answers = await this.#answers(wanted);
    for (const [i, { subscribers }] of present.entries()) {
      for (const subscriber of subscribers) this.#send(subscriber, answers[i] ?? [], last.sequence);
    }
    for (const { topic, agent } of events) if (topic === 'profile') this.#dismiss(agent);
    return events.length === PAGE;
  }

  #send(subscriber: Subscriber, answers: readonly Answer[], last: number): void {
    for (const { sequence, json } of answers) {
      if (!subscriber.gone && sequence > subscriber.at) subscriber.sender.send(json, sequence);
    }
    subscriber.at = Math.max(subscriber.at, last);
  }

  /** The key of an agent that is gone opens nothing. */
  #dismiss(wallet: string): void {
    for (const { actor, subscribers } of [...this.#groups.values()]) {
      if (actor?.wallet !== wallet) continue;
      for (const { sender } of [...subscribers]) sender.end(new AppError('INVALID_KEY'));
    }
  }

  async #answers(wanted: readonly { group: Group; events: readonly LiveEvent[] }[]): Promise<Answer[][]> {
    const { deps, schema } = this;
    const asked = wanted.map(({ group: { watch, actor }, events }) => ({
      watch,
      viewer: actor?.wallet ?? null,
      events: events.filter((event) => watch.matches(event)),
    }));
    if (asked.every(({ events }) => events.length === 0)) return asked.map(() => []);
    const contents = await readContents(deps, asked);
    // What several ask about an agent or a trader is read together, by those who may see the same.
    const contexts = new Map<string | null, GraphContext>();
    const contextFor = (actor: Actor | null): GraphContext => {
      const context = contexts.get(actor?.wallet ?? null) ?? contextOf(deps, actor, '');
      contexts.set(actor?.wallet ?? null, context);
      return context;
    };
    return Promise.all(
      asked.map(async ({ watch, events }, i) => {
        const { operation, actor } = (wanted[i] as { group: Group }).group;
        const context = contextFor(actor);
        const answers = events.map(async (event) => {
          const payload = payloadOf(watch, event, contents, context);
          if (payload === null) return [];
          const json = await answerOf(deps, schema, operation, context, payload);
          return [{ sequence: event.sequence, json }];
        });
        return (await Promise.all(answers)).flat();
      }),
    );
  }
}

function sequenceOf(text: string): number {
  if (!/^\d{1,15}$/.test(text))
    throw new AppError('INVALID_FIELD', { field: 'after', expected: 'the sequence of an event' });
  return Number(text);
}
