import timers from 'node:timers/promises';
import type { Deps } from '../../deps.js';
import { AppError } from '../../errors/errors.js';
import { isKeyValid, KeyEnded } from '../../keys.js';
import { type LiveEvent, liveBounds, liveEvents } from '../../live/log.js';
import { outageOf } from '../../observe/database-errors.js';
import { outsideRequest } from '../../observe/request-scope.js';
import { every, within } from '../../tasks.js';
import { networksOf } from '../client-address.js';
import { costWindows } from '../graphql/admit.js';
import type { Engine, Subscription } from '../graphql/engine.js';
import { batchesOf, groupKey, groupsOf, type PreparedGroup, prepareAnswers, type Sender, type Subscriber } from './groups.js';
import type { ReadPayloads } from './watch.js';

/** Maximum number of events that a round reads from the log. */
const PAGE_SIZE = 200;
/**
 * Interval of polls. A poll looks for events that other replicas wrote, resumes paused callers if they have points again, and
 * retries after the database was unavailable.
 */
const POLL_MS = 1000;
/**
 * Time that a round waits for a batch of answers. A slower answer is sent later, so that it does not delay the events of others.
 */
const PATIENCE_MS = 100;
/** Each subscriber that is behind pays at least one point for 40 events that are read for it, even if it gets no answer. */
const EVENTS_PER_POINT = 40;
/** Number of messages after which the hub yields to the event loop. */
const SENDS_PER_STEP = 200;

/**
 * Sends live events to the subscribers of this process, in rounds of two kinds that alternate. The first kind reads the new events,
 * for all subscribers that have all earlier events. The second kind reads on for subscribers that are behind: they began with an
 * earlier event, their client reads slowly, their rate limit was used up, or a round of the first kind cost too much to serve them.
 * So the replay of a subscriber does not delay the others, and a paused subscriber needs no buffer. A round reads each event once,
 * and executes it once per group of equal subscriptions.
 */
export class Hub {
  /** All subscribers, in the order of their turns. `#serveBehind` moves the served address to the end, its served caller last. */
  readonly #subscribers = new Set<Subscriber>();
  /** Callers that get nothing until the next poll, because they lack points, or because the database failed. */
  readonly #paused = new Set<string>();
  /** Sequence of the last event that was served as new. A subscriber is behind if its `at` is lower. */
  #head = 0;
  #stopListening = () => {};
  #running = false;
  #woken = false;

  constructor(
    private readonly deps: Deps,
    private readonly engine: Pick<Engine, 'answerEvent'>,
    private readonly readPayloads: ReadPayloads,
  ) {}

  /** Starts a subscription. Its events begin after the sequence `at`. The caller must call `end` once to end it. */
  async subscribe({ operation, watch, context }: Subscription, sender: Sender) {
    const { forgotten, last } = await liveBounds(this.deps);
    const { actor, ip } = context;
    // If the key becomes invalid after this check, an event after `last` reports it, and `#read` ends the subscription.
    if (actor && !(await isKeyValid(this.deps, actor))) throw new KeyEnded();
    const at = watch.after === undefined ? last : sequenceOf(watch.after);
    if (at < forgotten || at > last) throw new AppError('EVENTS_FORGOTTEN');
    const windows = costWindows(actor, ip);
    const subscriber: Subscriber = {
      operation,
      watch,
      actor,
      sender,
      windows,
      at,
      paidTo: at,
      key: groupKey(operation, watch, actor?.wallet ?? null),
      caller: windows.map(({ key }) => key).join(' '),
      address: networksOf(ip).at(-1)?.key ?? ip,
      keyValidAt: last,
      isWaiting: false,
    };
    if (this.#subscribers.size === 0) this.#start(last);
    this.#subscribers.add(subscriber);
    this.deps.subscriptions.started += 1;
    // Begins a round, to deliver events that the client has missed.
    this.#wake();
    const end = (): void => {
      this.deps.subscriptions.ended += 1;
      this.#leave(subscriber);
    };
    return { at, end };
  }

  #start(head: number): void {
    this.#head = head;
    const stopWakes = this.deps.live.listen(() => this.#wake());
    const stopPolls = every(this.deps.times, POLL_MS, () => {
      this.#paused.clear();
      this.#wake();
    });
    this.#stopListening = () => {
      stopWakes();
      stopPolls();
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
      .catch((error: unknown) => this.#report(error))
      .finally(() => {
        this.#running = false;
        if (this.#woken && this.#subscribers.size > 0) this.#wake();
      });
  }

  #report(error: unknown): void {
    const isUnavailable = outageOf(error) !== undefined;
    this.deps.log[isUnavailable ? 'debug' : 'error']({ err: error }, 'live events could not be read; retrying');
    if (isUnavailable) this.deps.outages.suspect();
  }

  async #run(): Promise<void> {
    while (this.#woken && this.#subscribers.size > 0) {
      this.#woken = false;
      const hasMore = await this.#serveNew();
      const wasBehind = await this.#serveBehind();
      if (hasMore || wasBehind) this.#woken = true;
      // A round without answers may consist of microtasks only, which would block the event loop.
      await timers.setImmediate();
    }
  }

  /** Serves the subscribers that are not behind. Returns true if there may be more events. */
  async #serveNew(): Promise<boolean> {
    const events = await this.#read(this.#head);
    const last = events.at(-1);
    if (last === undefined) return false;
    await this.#serve(
      [...this.#subscribers].filter((one) => one.at >= this.#head && this.#isReady(one)),
      events,
      0,
    );
    this.#head = last.sequence;
    return events.length === PAGE_SIZE;
  }

  /**
   * Serves the subscribers that are behind at one position. Addresses take turns, and so do the callers of an address. Returns
   * false if no subscriber could be served.
   */
  async #serveBehind(): Promise<boolean> {
    const ready = [...this.#subscribers].filter((one) => one.at < this.#head && this.#isReady(one));
    const [first] = ready;
    if (first === undefined) return false;
    // The oldest event of a caller goes first. Otherwise the cheaper subscriptions of the caller would use up the points for it.
    const oldest = new Map<string, number>();
    for (const { caller, at } of ready) oldest.set(caller, Math.min(at, oldest.get(caller) ?? at));
    const at = oldest.get(first.caller) ?? first.at;
    const ofAddress = [...this.#subscribers].filter(({ address }) => address === first.address);
    const isServed = ({ caller }: Subscriber) => caller === first.caller;
    for (const one of ofAddress.toSorted((a, b) => Number(isServed(a)) - Number(isServed(b)))) {
      this.#subscribers.delete(one);
      this.#subscribers.add(one);
    }
    const events = await this.#read(at);
    const next = ready.filter((one) => one.at === at && oldest.get(one.caller) === at);
    await this.#serve(next, events, Math.ceil(events.length / EVENTS_PER_POINT));
    return true;
  }

  /** Reads a page of events, and ends the subscriptions whose API key became invalid in it. */
  async #read(after: number): Promise<LiveEvent[]> {
    const events = await liveEvents(this.deps, after, PAGE_SIZE);
    const ends = new Map(events.filter(({ topic }) => topic === 'profile').map((end) => [end.agent, end.sequence]));
    for (const subscriber of ends.size > 0 ? this.#subscribers : []) {
      const end = ends.get(subscriber.actor?.wallet ?? '');
      if (end !== undefined && end > subscriber.keyValidAt) this.#end(subscriber, new KeyEnded());
    }
    return events;
  }

  /** Whether a subscriber can get events now. If its client has too much to read, another round begins after it has read. */
  #isReady(subscriber: Subscriber): boolean {
    if (!subscriber.isWaiting && subscriber.sender.isFull()) {
      subscriber.isWaiting = true;
      subscriber.sender.drained().then(() => {
        subscriber.isWaiting = false;
        this.#wake();
      });
    }
    return !subscriber.isWaiting && !this.#paused.has(subscriber.caller);
  }

  /**
   * Executes the events and sends the answers, the cheapest first. Each subscriber pays at least `readingPoints`, for the reading.
   */
  async #serve(subscribers: readonly Subscriber[], events: readonly LiveEvent[], readingPoints: number): Promise<void> {
    // Sequences have no gaps. If the next event is missing, it was deleted, and the subscription must end.
    const next = events[0]?.sequence ?? Number.POSITIVE_INFINITY;
    const present = subscribers.filter((one) => this.#subscribers.has(one));
    for (const one of present) if (next > one.at + 1) this.#end(one, new AppError('EVENTS_FORGOTTEN'));
    const groups = groupsOf(
      present.filter(({ at }) => next <= at + 1),
      events,
    );
    if (groups.length === 0) return;
    await this.deps.metrics.job('sending', async () => {
      const prepared = await prepareAnswers(this.deps, this.engine, this.readPayloads, groups);
      for (const batch of batchesOf(prepared)) {
        const sent = Promise.all(batch.map((group) => this.#deliver(group, readingPoints)));
        if (!(await within(this.deps.times, PATIENCE_MS, sent))) sent.then(() => this.#wake());
        await timers.setImmediate();
      }
    });
  }

  /** Executes and sends the answers of one group. A subscriber that cannot pay, or cannot get all answers, is behind afterwards. */
  async #deliver(group: PreparedGroup, readingPoints: number): Promise<void> {
    const { subscribers, answers, upTo } = group;
    if (answers.length === 0 && readingPoints === 0) {
      for (const one of subscribers) one.at = Math.max(one.at, upTo);
      return;
    }
    for (const one of subscribers) one.isWaiting = true;
    try {
      const paid = await this.#charge(group, readingPoints);
      const texts = paid.size > 0 ? await Promise.all(answers.map(({ execute }) => execute())) : [];
      let sent = 0;
      for (const [i, { sequence }] of answers.entries()) {
        for (const one of paid) {
          if (!this.#subscribers.has(one) || one.sender.isFull()) paid.delete(one);
          else if (sequence > one.at) {
            one.sender.send(texts[i] as string, sequence);
            one.at = sequence;
            if (++sent % SENDS_PER_STEP === 0) await timers.setImmediate();
          }
        }
      }
      for (const one of paid) one.at = Math.max(one.at, upTo);
    } catch (error) {
      for (const { caller } of subscribers) this.#paused.add(caller);
      this.#report(error);
    } finally {
      for (const one of subscribers) one.isWaiting = false;
    }
  }

  /** Charges the answers to the subscribers. Returns those that could pay. The callers of the others pause. */
  async #charge({ subscribers, operation, answers }: PreparedGroup, readingPoints: number): Promise<Set<Subscriber>> {
    if (this.deps.config.RATE_LIMITS === 'off') return new Set(subscribers);
    const last = answers.at(-1)?.sequence ?? 0;
    const now = this.deps.clock.now().getTime();
    const paid = new Set<Subscriber>();
    const pay = async (one: Subscriber): Promise<void> => {
      const count = answers.filter(({ sequence }) => sequence > one.paidTo).length;
      const cost = Math.max(readingPoints, operation.cost * count);
      if (cost > 0) {
        if (this.#paused.has(one.caller)) return;
        const charged = one.windows.map((window) => ({ ...window, cost }));
        const { allowed } = await this.deps.limits.take(charged, now);
        if (!allowed) {
          this.#paused.add(one.caller);
          return;
        }
      }
      one.paidTo = Math.max(one.paidTo, last);
      paid.add(one);
    };
    await Promise.all(subscribers.map(pay));
    return paid;
  }
}

function sequenceOf(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new AppError('INVALID_FIELD', { field: 'after', expected: 'the sequence of an event' });
  return Number(text);
}
