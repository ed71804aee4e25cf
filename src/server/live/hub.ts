import { setImmediate as eventLoop } from 'node:timers/promises';
import type { Deps } from '../../deps.js';
import { AppError } from '../../errors.js';
import { isKeyValid, KeyEnded } from '../../keys.js';
import { type LiveEvent, liveBounds, liveEvents } from '../../live/log.js';
import { outageOf, outsideRequest } from '../../observe/outage.js';
import { every } from '../../times.js';
import { type Actor, networksOf, type Window } from '../access.js';
import { costWindows } from '../graphql/admit.js';
import type { Engine, Operation, Subscription } from '../graphql/engine.js';
import { type Group, groupKey, groupsOf, type PreparedAnswer, prepareAnswers } from './groups.js';
import type { ReadPayloads, Watch } from './watch.js';

/** Sends the answers of a subscription to its client. */
export type Sender = {
  send(json: string, sequence: number): void;
  /** Whether the client must read before it gets more. */
  isFull(): boolean;
  /** Resolves when the client has read enough, or has disconnected. */
  drained(): Promise<void>;
  /** Ends the subscription and sends the error to the client. */
  end(error: Error): void;
};

export type Subscriber = {
  readonly operation: Operation;
  readonly watch: Watch;
  readonly actor: Actor | null;
  readonly sender: Sender;
  /** Subscribers with the same key get the same answers. */
  readonly key: string;
  /** Rate limit to which its answers count, and the name of the caller who has it. */
  readonly windows: readonly Window[];
  readonly caller: string;
  /** An IPv6 /48 counts as one address. */
  readonly address: string;
  /** Sequence of the newest event when the subscription started. Its API key was valid then. */
  readonly startedAt: number;
  /** Sequence up to which it has all events that it watches. */
  at: number;
  /** Whether it waits until its client has read. */
  isReading: boolean;
};

/** Maximum number of events that a round reads from the log. */
const PAGE_SIZE = 200;
/** Interval at which the hub looks for events of other replicas, for points of paused callers, and for a database that was away. */
const POLL_MS = 1000;
/** Query cost that executes at the same time. Bounds a step of the event loop, but lets loaders batch cheap answers. */
const MAX_RUNNING_COST = 250;
/** Query cost after which a round ends. Subscribers that it did not reach are behind. */
const MAX_ROUND_COST = 2500;
/** A page that is read for subscribers that are behind costs each of them at least one point per 40 events. */
const EVENTS_PER_POINT = 40;
/** Number of messages after which the hub yields to the event loop. */
const SENDS_PER_STEP = 200;

/**
 * Sends live events to the subscribers of this process. It alternates between two rounds. The first reads the new events for all
 * who have the earlier ones. The second reads on for subscribers that are behind, because they start with an earlier event, have not
 * read what was sent, have used up their rate limit, or are too costly for the first round. So nobody waits for a replay. A round
 * reads each event once, and executes it once per group of equal subscriptions.
 */
export class Hub {
  /** Those of the address that was served last are at the end. */
  readonly #subscribers = new Set<Subscriber>();
  /** Callers without enough points, with the time when they have them. */
  readonly #paused = new Map<string, number>();
  /** Sequence of the newest event that was read. */
  #head = 0;
  #stopListening = () => {};
  #running = false;
  #woken = false;

  constructor(
    private readonly deps: Deps,
    private readonly engine: Pick<Engine, 'answerEvent'>,
    private readonly readPayloads: ReadPayloads,
  ) {}

  /** Starts sending the events of a subscription after the sequence `at`. `end` ends it and is called once. */
  async subscribe({ operation, watch, context }: Subscription, sender: Sender) {
    const { forgotten, last } = await liveBounds(this.deps);
    const { actor, ip } = context;
    // An event after `last` reports if the key becomes invalid after this check.
    if (actor && !(await isKeyValid(this.deps, actor))) throw new KeyEnded();
    const at = watch.after === undefined ? last : sequenceOf(watch.after);
    if (at < forgotten || at > last) throw new AppError('EVENTS_FORGOTTEN');
    const windows = costWindows(actor, ip);
    const subscriber: Subscriber = {
      ...{ operation, watch, actor, sender, windows, at },
      key: groupKey(operation, watch, actor?.wallet ?? null),
      caller: windows.map(({ key }) => key).join(' '),
      address: networksOf(ip).at(-1)?.key ?? ip,
      startedAt: last,
      isReading: false,
    };
    if (this.#subscribers.size === 0) this.#start(last);
    this.#subscribers.add(subscriber);
    this.deps.subscriptions.started += 1;
    // Delivers the events since the last event of the subscriber.
    this.#wake();
    const end = (): void => {
      this.deps.subscriptions.ended += 1;
      this.#leave(subscriber);
    };
    return { at, end };
  }

  #start(head: number): void {
    this.#head = head;
    const stops = [this.deps.live.listen(() => this.#wake()), every(this.deps.times, POLL_MS, () => this.#wake())];
    this.#stopListening = () => {
      for (const stop of stops.splice(0)) stop();
    };
  }

  #leave(subscriber: Subscriber): void {
    this.#subscribers.delete(subscriber);
    if (this.#subscribers.size === 0) this.#stopListening();
  }

  #end(subscriber: Subscriber, error: AppError): void {
    this.#leave(subscriber);
    subscriber.sender.end(error);
  }

  /** Runs rounds, one at a time. A wake-up during a round causes another one. */
  #wake(): void {
    this.#woken = true;
    if (this.#running) return;
    this.#running = true;
    outsideRequest(() => this.#run())
      .catch((error: unknown) => {
        const isAway = outageOf(error) !== undefined;
        this.deps.log[isAway ? 'debug' : 'error']({ err: error }, 'live events could not be read; retrying');
        if (isAway) this.deps.outages.suspect();
      })
      .finally(() => {
        this.#running = false;
        if (this.#woken && this.#subscribers.size > 0) this.#wake();
      });
  }

  async #run(): Promise<void> {
    while (this.#woken && this.#subscribers.size > 0) {
      this.#woken = false;
      const now = this.deps.clock.now().getTime();
      for (const [caller, until] of this.#paused) if (until <= now) this.#paused.delete(caller);
      const [hasMore, wasBehind] = [await this.#serveNew(), await this.#serveBehind()];
      if (hasMore || wasBehind) this.#woken = true;
      // A round without answers may consist of microtasks only, which would block the event loop.
      await eventLoop();
    }
  }

  /** Serves all subscribers that have the events up to now. Returns true if there may be more. */
  async #serveNew(): Promise<boolean> {
    const events = await liveEvents(this.deps, this.#head, PAGE_SIZE);
    const last = events.at(-1);
    if (last === undefined) return false;
    this.#endKeys(events);
    const current = [...this.#subscribers].filter(({ at }) => at >= this.#head);
    await this.#serve(current, events, 0);
    this.#head = last.sequence;
    return events.length === PAGE_SIZE;
  }

  /** Ends the subscriptions whose API key became invalid in these events. */
  #endKeys(events: readonly LiveEvent[]): void {
    const ends = new Map(events.filter(({ topic }) => topic === 'profile').map((end) => [end.agent, end.sequence]));
    for (const subscriber of this.#subscribers) {
      const end = ends.get(subscriber.actor?.wallet ?? '');
      if (end !== undefined && end > subscriber.startedAt) this.#end(subscriber, new KeyEnded());
    }
  }

  /** Serves the subscribers of one position that are behind. Addresses alternate. Returns false if there is none. */
  async #serveBehind(): Promise<boolean> {
    const ready = [...this.#subscribers].filter(
      (one) => one.at < this.#head && !this.#paused.has(one.caller) && this.#canSend(one),
    );
    const [first] = ready;
    if (first === undefined) return false;
    // The oldest event of a caller goes first, so that its cheaper subscriptions do not take the points for it.
    const own = ready.filter(({ caller }) => caller === first.caller);
    const at = Math.min(...own.map((one) => one.at));
    const events = (await liveEvents(this.deps, at, PAGE_SIZE)).filter(({ sequence }) => sequence <= this.#head);
    const served = ready.filter((one) => one.at === at && this.#subscribers.has(one));
    const neighbours = [...this.#subscribers].filter(({ address }) => address === first.address);
    for (const one of neighbours.toSorted((a, b) => Number(a.at === at) - Number(b.at === at))) {
      this.#subscribers.delete(one);
      this.#subscribers.add(one);
    }
    await this.#serve(served, events, Math.ceil(events.length / EVENTS_PER_POINT));
    return true;
  }

  /** Whether the client has read what was sent. If not, the next round waits until it has. */
  #canSend(subscriber: Subscriber): boolean {
    if (!subscriber.isReading && subscriber.sender.isFull()) {
      subscriber.isReading = true;
      subscriber.sender.drained().then(() => {
        subscriber.isReading = false;
        this.#wake();
      });
    }
    return !subscriber.isReading;
  }

  /** Executes the events and sends the answers, the cheapest first. `least`: points that each subscriber pays at least. */
  async #serve(subscribers: readonly Subscriber[], events: readonly LiveEvent[], least: number): Promise<void> {
    // Sequences have no gaps, so an event that is missing was deleted.
    const next = events[0]?.sequence ?? Number.POSITIVE_INFINITY;
    const complete = subscribers.filter(({ at }) => next <= at + 1);
    for (const one of subscribers) if (next > one.at + 1) this.#end(one, new AppError('EVENTS_FORGOTTEN'));
    if (complete.length === 0) return;
    await this.deps.metrics.job('sending', async () => {
      const groups = groupsOf(complete, events);
      const answers = await prepareAnswers(this.deps, this.engine, this.readPayloads, groups);
      for (let i = 0, spent = 0; i < groups.length && spent <= MAX_ROUND_COST; ) {
        const started: Promise<void>[] = [];
        let running = 0;
        do {
          const group = groups[i] as Group;
          started.push(this.#deliver(group, answers[i] ?? [], least));
          running += group.cost;
          i += 1;
        } while (i < groups.length && running + (groups[i]?.cost ?? 0) <= MAX_RUNNING_COST);
        await Promise.all(started);
        spent += running;
        await eventLoop();
      }
    });
  }

  /** Executes and sends the answers of one group to those who can pay and have read. The others are behind. */
  async #deliver({ subscribers, operation, upTo }: Group, answers: readonly PreparedAnswer[], least: number) {
    const isFree = answers.length === 0 && least === 0;
    const served = isFree
      ? subscribers
      : await this.#charge(subscribers, (at) => {
          return Math.max(least, operation.price * answers.filter(({ sequence }) => sequence > at).length);
        });
    if (answers.length > 0 && served.length > 0) {
      const texts = await Promise.all(answers.map(({ execute }) => execute()));
      let sent = 0;
      for (const [i, { sequence }] of answers.entries()) {
        for (const one of served) {
          if (sequence <= one.at || !this.#subscribers.has(one)) continue;
          one.sender.send(texts[i] as string, sequence);
          one.at = sequence;
          if (++sent % SENDS_PER_STEP === 0) await eventLoop();
        }
      }
    }
    for (const one of served) one.at = Math.max(one.at, upTo);
  }

  /** Charges the points that are due at each position. Returns the subscribers that can pay and have read. */
  async #charge(subscribers: readonly Subscriber[], pointsAt: (at: number) => number): Promise<Subscriber[]> {
    const ready = subscribers.filter((one) => this.#canSend(one));
    if (this.deps.config.RATE_LIMITS === 'off') return ready;
    const paid = await Promise.all(ready.map((one) => this.#pay(one, pointsAt(one.at))));
    return ready.filter((_, i) => paid[i]);
  }

  /** Charges the points, or pauses the caller until its rate limit has room for them. */
  async #pay({ windows, caller }: Subscriber, cost: number): Promise<boolean> {
    if (this.#paused.has(caller)) return false;
    const now = this.deps.clock.now().getTime();
    const charged = windows.map((window) => ({ ...window, cost }));
    const { allowed, retryAfter } = await this.deps.limits.take(charged, now);
    if (!allowed) this.#paused.set(caller, now + retryAfter * 1000);
    return allowed;
  }
}

function sequenceOf(text: string): number {
  if (!/^\d{1,15}$/.test(text))
    throw new AppError('INVALID_FIELD', { field: 'after', expected: 'the sequence of an event' });
  return Number(text);
}
