import { setImmediate as eventLoop } from 'node:timers/promises';
import type { Deps } from '../../deps.js';
import { AppError } from '../../errors.js';
import { isKeyValid, KeyEnded } from '../../keys.js';
import { type LiveEvent, liveBounds, liveEvents } from '../../live/log.js';
import { outageOf, outsideRequest } from '../../observe/outage.js';
import { every } from '../../times.js';
import type { Engine, Subscription } from '../graphql/engine.js';
import { Budget, type Due, type Payer, payerOf } from './budget.js';
import { chunkOf, EventAnswers, groupKey, type PreparedAnswer, type Question } from './event-answers.js';
import { Replays, type Sender, type Subscriber } from './replays.js';
import type { ReadPayloads } from './watch.js';

const PAGE_SIZE = 200;
/** Number of messages after which the sender yields to the event loop. */
const SENDS_PER_STEP = 200;
/** Polling interval for events of other replicas, if no wake-up arrives. Also the delay of a retry. */
const POLL_MS = 1000;

type Group = Question & {
  readonly key: string;
  readonly subscribers: Set<Subscriber>;
  /** Whether answers of an earlier turn are still being sent. */
  busy: boolean;
  /** Whether a turn skipped the group because it was busy. */
  missed: boolean;
};

/** What one turn of the hub sends to one subscriber. */
type Delivery = {
  readonly subscriber: Subscriber;
  /** Sequence up to which the turn serves the subscriber, including events that it does not watch. */
  readonly upTo: number;
  /** The rate limit of the subscriber has no room for the remaining answers. */
  readonly paused: boolean;
  /** The API key of the subscriber became invalid. */
  readonly ended: boolean;
};
type Turn = {
  readonly group: Group;
  readonly subscribers: readonly Subscriber[];
  /** Lowest sequence up to which a subscriber was served. */
  readonly from: number;
  readonly answers: readonly PreparedAnswer[];
};

/**
 * Sends live events to the subscribers of this process. Subscribers with the same operation and the same viewer form a group,
 * and each event is executed once per group. Each subscriber stores the sequence of its last event and gets the events after
 * it, so that no event is lost or duplicated when it joins. A subscriber whose rate limit is exhausted leaves its group and
 * rejoins after a replay.
 */
export class Hub {
  readonly #groups = new Map<string, Group>();
  readonly #groupOf = new WeakMap<Subscriber, Group>();
  readonly #budget: Budget;
  readonly #answers: EventAnswers;
  readonly #replays: Replays;
  /** Functions that end the wake-ups. Empty while there is no group. */
  readonly #stops: (() => void)[] = [];
  #cancelRetry = () => {};
  #running = false;
  #woken = false;

  constructor(
    private readonly deps: Deps,
    engine: Pick<Engine, 'answerEvent'>,
    readPayloads: ReadPayloads,
  ) {
    this.#budget = new Budget(deps);
    this.#answers = new EventAnswers(deps, engine, readPayloads);
    this.#replays = new Replays(deps, this.#budget, this.#answers);
  }

  /** Starts sending the events of a subscription after the sequence `at`. `end` ends it and is called once. */
  async subscribe({ operation, watch, context }: Subscription, sender: Sender) {
    const { forgotten, last } = await liveBounds(this.deps);
    const { actor, ip } = context;
    // An event after `last` reports if the key becomes invalid after this check.
    if (actor && !(await isKeyValid(this.deps, actor))) throw new KeyEnded();
    const at = watch.after === undefined ? last : sequenceOf(watch.after);
    if (at < forgotten || at > last) throw new AppError('EVENTS_FORGOTTEN');
    const payer = payerOf(actor, ip);
    const subscriber = { operation, watch, actor, ip, payer, sender, startedAt: last, at, gone: false };
    if (at < last) this.#catchUp(subscriber);
    else this.#join(subscriber);
    this.deps.subscriptions.started += 1;
    const end = (): void => {
      this.deps.subscriptions.ended += 1;
      subscriber.gone = true;
      this.#leaveGroup(subscriber);
    };
    return { at, end };
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
    const newGroup = { key, operation, watch, actor, subscribers: new Set<Subscriber>(), busy: false, missed: false };
    const group = this.#groups.get(key) ?? newGroup;
    group.subscribers.add(subscriber);
    this.#groups.set(key, group);
    this.#groupOf.set(subscriber, group);
    const { config, live, times } = this.deps;
    if (this.#stops.length === 0) {
      this.#stops.push(live.listen(() => this.#wake()));
      if (config.DATABASE_URL !== undefined) this.#stops.push(every(times, POLL_MS, () => this.#wake()));
    }
    // Delivers the events since the last event of the subscriber.
    this.#wake();
  }

  #leaveGroup(subscriber: Subscriber): void {
    const group = this.#groupOf.get(subscriber);
    if (group === undefined) return;
    this.#groupOf.delete(subscriber);
    group.subscribers.delete(subscriber);
    if (group.subscribers.size === 0) this.#groups.delete(group.key);
    if (this.#groups.size > 0) return;
    for (const stop of this.#stops.splice(0)) stop();
    this.#cancelRetry();
  }

  /** Runs turns, one at a time. A wake-up during a turn causes another turn. */
  #wake(): void {
    this.#woken = true;
    if (this.#running) return;
    this.#running = true;
    outsideRequest(() => this.#run())
      .catch((error: unknown) => this.#retry(error))
      .finally(() => {
        this.#running = false;
        if (this.#woken && this.#groups.size > 0) this.#wake();
      });
  }

  #retry(error: unknown): void {
    const isAway = outageOf(error) !== undefined;
    this.deps.log[isAway ? 'debug' : 'error']({ err: error }, 'live events could not be read; retrying');
    if (isAway) this.deps.outages.suspect();
    // One timer at a time: polls fail meanwhile, too, and would add one each.
    this.#cancelRetry();
    this.#cancelRetry = this.deps.times.after(POLL_MS, () => this.#wake());
  }

  async #run(): Promise<void> {
    while (this.#woken && this.#groups.size > 0) {
      this.#woken = false;
      if (await this.#turn()) this.#woken = true;
      // A turn without answers may consist of microtasks only, which would block the event loop.
      await eventLoop();
    }
  }

  /** Reads the next events for the groups that are not busy, and starts to send them. Returns true if there may be more. */
  async #turn(): Promise<boolean> {
    for (const group of this.#groups.values()) group.missed = group.busy;
    // Subscribers that join after this line are part of the next turn.
    const idle = [...this.#groups.values()]
      .filter(({ busy }) => !busy)
      .map((group) => {
        const subscribers = [...group.subscribers];
        return { group, subscribers, from: Math.min(...subscribers.map(({ at }) => at)) };
      });
    if (idle.length === 0) return false;
    const events = await liveEvents(this.deps, Math.min(...idle.map(({ from }) => from)), PAGE_SIZE);
    if (events.length > 0) await this.deps.metrics.job('live turn', () => this.#answer(idle, events));
    return events.length === PAGE_SIZE;
  }

  async #answer(idle: readonly Omit<Turn, 'answers'>[], events: readonly LiveEvent[]): Promise<void> {
    const last = events.at(-1)?.sequence ?? 0;
    const answers = await this.#answers.prepare(
      idle.map(({ group, from }) => ({ ...group, events: events.filter(({ sequence }) => sequence > from) })),
    );
    const turns = idle.map((part, i) => ({ ...part, answers: answers[i] ?? [] }));
    const paid = await this.#charge(turns);
    for (const turn of turns) {
      const ends = keyEndsIn(turn, events);
      const deliveries = turn.subscribers.map((subscriber): Delivery => {
        const [due, count] = [dueTo(subscriber, turn.answers), paid.get(subscriber) ?? 0];
        const paused = count < due.length;
        const upTo = paused ? (due[count - 1]?.sequence ?? subscriber.at) : last;
        const end = ends.get(subscriber);
        return { subscriber, upTo: Math.min(upTo, end ?? last), paused, ended: end !== undefined };
      });
      this.#serve(turn, deliveries);
    }
  }

  /** Charges the cost of a turn, with one charge per payer. Returns how many answers each subscriber has paid for. */
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
        bill.dues.push({ cost: group.operation.price, count });
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

  /** Executes and sends the answers of one group. Other groups and later turns do not wait for this. */
  #serve({ group, answers }: Turn, deliveries: readonly Delivery[]): void {
    const finish = () => {
      for (const { subscriber, upTo, paused, ended } of deliveries) {
        subscriber.at = Math.max(subscriber.at, upTo);
        if (!(paused || ended) || subscriber.gone) continue;
        this.#leaveGroup(subscriber);
        if (ended) {
          subscriber.gone = true;
          subscriber.sender.end(new KeyEnded());
        } else this.#catchUp(subscriber);
      }
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
          if (++sent % SENDS_PER_STEP === 0) await eventLoop();
        }
      }
    }
  }
}

/** The subscribers whose API key became invalid in these events, with the sequence of the event. */
function keyEndsIn({ group: { actor }, subscribers }: Turn, events: readonly LiveEvent[]): Map<Subscriber, number> {
  const ends = events.filter(({ topic, agent }) => topic === 'profile' && agent === actor?.wallet);
  return new Map(
    subscribers.flatMap((subscriber): [Subscriber, number][] => {
      const end = ends.find(({ sequence }) => sequence > subscriber.at);
      return end ? [[subscriber, end.sequence]] : [];
    }),
  );
}

const dueTo = ({ at }: Subscriber, answers: readonly PreparedAnswer[]): readonly PreparedAnswer[] =>
  answers.filter(({ sequence }) => sequence > at);

function sequenceOf(text: string): number {
  if (!/^\d{1,15}$/.test(text))
    throw new AppError('INVALID_FIELD', { field: 'after', expected: 'the sequence of an event' });
  return Number(text);
}
