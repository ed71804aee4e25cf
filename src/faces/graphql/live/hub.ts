import { setImmediate as loop } from 'node:timers/promises';
import { type LiveEvent, liveBounds, liveEvents } from '../../../core/events/queries/live-events.js';
import type { Deps } from '../../../deps.js';
import { AppError } from '../../../errors.js';
import type { Engine, Subscription } from '../engine/engine.js';
import { Budget, type Due, type Payer, payerOf } from './budget.js';
import { chunkOf, EventAnswers, type PreparedAnswer, type Question } from './event-answers.js';
import { groupKey } from './group-key.js';
import { Replays } from './replays.js';
import type { Sender, Subscriber } from './subscriber.js';

/** Events that are read at once. */
const PAGE = 200;
/** Messages that are sent before the event loop serves other work. */
const SENDS = 200;
/** Without a wake-up from another replica, each replica looks so often. */
const LOOK_EVERY_MS = 1000;

type Group = Question & {
  readonly key: string;
  readonly subscribers: Set<Subscriber>;
  /** Whether answers of an earlier turn are still being sent. */
  busy: boolean;
  /** Whether a turn has passed meanwhile. */
  missed: boolean;
};

/** What one subscriber gets of a turn. */
type Delivery = {
  readonly subscriber: Subscriber;
  /** The last event that it gets, or that it does not ask for. */
  readonly upTo: number;
  /** Its window has no room for the rest. */
  readonly paused: boolean;
};
type Turn = {
  readonly group: Group;
  readonly subscribers: readonly Subscriber[];
  readonly answers: readonly PreparedAnswer[];
};

/**
 * Sends live events to the subscribers of this process. Subscribers that ask the same and may see the same are a group: an
 * event is executed once for all of them. Each subscriber knows its last event and gets what follows it, so that no event
 * is lost or doubled, however it joins. A subscriber whose window is exhausted leaves its group, and comes back by replay.
 */
export class Hub {
  readonly #groups = new Map<string, Group>();
  readonly #groupOf = new WeakMap<Subscriber, Group>();
  readonly #budget: Budget;
  readonly #answers: EventAnswers;
  readonly #replays: Replays;
  #unlisten: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #running = false;
  #woken = false;

  constructor(
    private readonly deps: Deps,
    engine: Pick<Engine, 'answerEvent' | 'contextOf'>,
  ) {
    this.#budget = new Budget(deps);
    this.#answers = new EventAnswers(deps, engine);
    this.#replays = new Replays(deps, this.#budget, this.#answers);
  }

  /** Begins to send what the subscription asks for. The result ends it. */
  async follow({ operation, watch, context }: Subscription, sender: Sender): Promise<() => void> {
    const { forgotten, last } = await liveBounds(this.deps);
    const at = watch.after === undefined ? last : sequenceOf(watch.after);
    if (at < forgotten || at > last) throw new AppError('EVENTS_FORGOTTEN');
    const { actor, ip } = context;
    const payer = payerOf(actor, ip);
    const subscriber = { operation, watch, actor, ip, payer, sender, began: last, at, gone: false };
    if (at < last) this.#catchUp(subscriber);
    else this.#join(subscriber);
    return () => {
      subscriber.gone = true;
      this.#leaveGroup(subscriber);
    };
  }

  #catchUp(subscriber: Subscriber): void {
    this.#replays
      .catchUp(subscriber)
      .then(() => this.#join(subscriber))
      .catch((error: unknown) => {
        if (!subscriber.gone) subscriber.sender.end(error as Error);
      });
  }

  #join(subscriber: Subscriber): void {
    if (subscriber.gone) return;
    const { operation, watch, actor } = subscriber;
    const key = groupKey(operation, watch, actor?.wallet ?? null);
    const made = () => ({
      key,
      operation,
      watch,
      actor,
      subscribers: new Set<Subscriber>(),
      busy: false,
      missed: false,
    });
    const group = this.#groups.get(key) ?? made();
    group.subscribers.add(subscriber);
    this.#groups.set(key, group);
    this.#groupOf.set(subscriber, group);
    this.#unlisten ??= this.deps.live.listen(() => this.#wake());
    if (this.deps.config.DATABASE_URL !== undefined) this.#timer ??= setInterval(() => this.#wake(), LOOK_EVERY_MS);
    // For what has happened since its last event.
    this.#wake();
  }

  #leaveGroup(subscriber: Subscriber): void {
    const group = this.#groupOf.get(subscriber);
    if (group === undefined) return;
    this.#groupOf.delete(subscriber);
    group.subscribers.delete(subscriber);
    if (group.subscribers.size === 0) this.#groups.delete(group.key);
    if (this.#groups.size > 0) return;
    this.#unlisten?.();
    this.#unlisten = undefined;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** One turn at a time. A wake-up during a turn leads to another turn. */
  #wake(): void {
    this.#woken = true;
    if (this.#running) return;
    this.#running = true;
    this.#run()
      .catch((error: unknown) => this.#retry(error))
      .finally(() => {
        this.#running = false;
        if (this.#woken && this.#groups.size > 0) this.#wake();
      });
  }

  #retry(error: unknown): void {
    this.deps.log.warn({ err: error }, 'live events could not be read; trying again');
    setTimeout(() => this.#wake(), LOOK_EVERY_MS).unref();
  }

  async #run(): Promise<void> {
    while (this.#woken && this.#groups.size > 0) {
      this.#woken = false;
      if (await this.#turn()) this.#woken = true;
      // A turn without answers may consist of microtasks only.
      await loop();
    }
  }

  /** Reads the next events for the groups that are not busy, and begins to send them. Returns whether there may be more. */
  async #turn(): Promise<boolean> {
    for (const group of this.#groups.values()) group.missed = group.busy;
    // Subscribers that join from here on are part of the next turn.
    const present = [...this.#groups.values()]
      .filter(({ busy }) => !busy)
      .map((group) => ({ group, subscribers: [...group.subscribers] }));
    if (present.length === 0) return false;
    const lowest = present.map(({ subscribers }) => Math.min(...subscribers.map(({ at }) => at)));
    const events = await liveEvents(this.deps, Math.min(...lowest), PAGE);
    const last = events.at(-1)?.sequence;
    if (last === undefined) return false;
    const answers = await this.#answers.prepare(
      present.map(({ group }, i) => ({
        ...group,
        events: events.filter(({ sequence }) => sequence > (lowest[i] ?? 0)),
      })),
    );
    const turns = present.map((each, i) => ({ ...each, answers: answers[i] ?? [] }));
    const paid = await this.#charge(turns);
    for (const turn of turns) {
      const ended = this.#endedIn(turn, events);
      const deliveries = turn.subscribers.map((subscriber): Delivery => {
        const [due, count] = [dueTo(subscriber, turn.answers), paid.get(subscriber) ?? 0];
        const paused = count < due.length;
        return { subscriber, upTo: paused ? (due[count - 1]?.sequence ?? subscriber.at) : last, paused };
      });
      this.#serve(turn, deliveries, ended);
    }
    return events.length === PAGE;
  }

  /** Takes the cost of a turn, once for each payer. Returns how many answers each subscriber gets. */
  async #charge(turns: readonly Turn[]): Promise<Map<Subscriber, number>> {
    const paid = new Map<Subscriber, number>();
    const bills = new Map<string, { payer: Payer; subscribers: Subscriber[]; dues: Due[] }>();
    for (const { group, subscribers, answers } of turns) {
      for (const subscriber of subscribers) {
        const { payer } = subscriber;
        const count = dueTo(subscriber, answers).length;
        if (count === 0 || this.#budget.isExhausted(payer)) continue;
        const bill = bills.get(payer.id) ?? { payer, subscribers: [], dues: [] };
        bills.set(payer.id, bill);
        bill.subscribers.push(subscriber);
        bill.dues.push({ cost: group.operation.cost, count });
      }
    }
    await Promise.all(
      [...bills.values()].map(async ({ payer, subscribers, dues }) => {
        const counts = await this.#budget.pay(payer, dues);
        for (const [i, subscriber] of subscribers.entries()) paid.set(subscriber, counts[i] ?? 0);
      }),
    );
    return paid;
  }

  /** Subscribers whose key ended in these events: with the profile of their agent. */
  #endedIn({ group: { actor }, subscribers }: Turn, events: readonly LiveEvent[]): Subscriber[] {
    const ends = events.filter(({ topic, agent }) => topic === 'profile' && agent === actor?.wallet);
    return subscribers.filter(({ at }) => ends.some(({ sequence }) => sequence > at));
  }

  /** Executes and sends the answers of one group. Other groups and later turns do not wait for it. */
  #serve({ group, answers }: Turn, deliveries: readonly Delivery[], ended: readonly Subscriber[]): void {
    const finish = () => {
      for (const { subscriber, upTo, paused } of deliveries) {
        subscriber.at = Math.max(subscriber.at, upTo);
        if (!paused || subscriber.gone) continue;
        this.#leaveGroup(subscriber);
        this.#catchUp(subscriber);
      }
      for (const { sender } of ended) sender.end(new AppError('INVALID_KEY'));
    };
    const from = Math.min(...deliveries.map(({ subscriber }) => subscriber.at));
    const upTo = Math.max(...deliveries.map((delivery) => delivery.upTo));
    const wanted = answers.filter(({ sequence }) => sequence > from && sequence <= upTo);
    if (wanted.length === 0) {
      finish();
      return;
    }
    group.busy = true;
    this.#deliver(wanted, group.operation.cost, deliveries)
      .then(finish)
      .catch((error: unknown) => this.#retry(error))
      .finally(() => {
        group.busy = false;
        if (group.missed) this.#wake();
      });
  }

  async #deliver(answers: readonly PreparedAnswer[], cost: number, deliveries: readonly Delivery[]): Promise<void> {
    let sent = 0;
    for (let i = 0; i < answers.length; i += chunkOf(cost)) {
      if (deliveries.every(({ subscriber }) => subscriber.gone)) return;
      for (const { sequence, json } of await this.#answers.execute(answers.slice(i, i + chunkOf(cost)), cost)) {
        for (const { subscriber, upTo } of deliveries) {
          if (subscriber.gone || sequence <= subscriber.at || sequence > upTo) continue;
          subscriber.sender.send(json, sequence);
          subscriber.at = sequence;
          if (++sent % SENDS === 0) await loop();
        }
      }
    }
  }
}

const dueTo = ({ at }: Subscriber, answers: readonly PreparedAnswer[]): readonly PreparedAnswer[] =>
  answers.filter(({ sequence }) => sequence > at);

function sequenceOf(text: string): number {
  if (!/^\d{1,15}$/.test(text))
    throw new AppError('INVALID_FIELD', { field: 'after', expected: 'the sequence of an event' });
  return Number(text);
}
