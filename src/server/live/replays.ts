import { setImmediate as eventLoop } from 'node:timers/promises';
import type { Deps } from '../../deps.js';
import { AppError } from '../../errors.js';
import { KeyEnded } from '../../keys.js';
import { keyEnded, liveBounds, liveEventsOf } from '../../live/log.js';
import type { Actor } from '../access.js';
import type { Operation } from '../graphql/engine.js';
import type { Budget, Payer } from './budget.js';
import { type Answer, chunkOf, type EventAnswers } from './event-answers.js';
import { ReplayQueue } from './queues.js';
import type { Watch } from './watch.js';

/** Sends the answers of a subscription to its client. */
export type Sender = {
  send(json: string, sequence: number): void;
  /** Resolves when the client has read enough to receive more, or has disconnected. */
  ready(): Promise<void>;
  /** Ends the subscription and sends the error to the client. */
  end(error: Error): void;
};

export type Subscriber = {
  readonly operation: Operation;
  readonly watch: Watch;
  readonly actor: Actor | null;
  readonly ip: string;
  readonly payer: Payer;
  readonly sender: Sender;
  /** Sequence of the newest event when the subscription started. Its API key was valid then. */
  readonly startedAt: number;
  /** Sequence up to which the subscriber was served, including events that it does not watch. */
  at: number;
  gone: boolean;
};

/** Maximum number of events that one step of a replay reads. */
const PAGE_SIZE = 100;
/** Maximum number of sequences that one step covers. Bounds the time of a step if few events match the subscription. */
const MAX_RANGE = 1000;
/** A step costs at least one point per 2 events that it reads and one point per 40 sequences that it covers. */
const EVENTS_PER_POINT = 2;
const SEQUENCES_PER_POINT = 40;

type Step = {
  readonly answers: readonly Answer[];
  /** Last sequence that the step covers. */
  readonly at: number;
  readonly caughtUp: boolean;
};

/** Sends each subscriber the events that it missed. Other subscribers do not wait for a replay. */
export class Replays {
  readonly #queue = new ReplayQueue();

  constructor(
    private readonly deps: Deps,
    private readonly budget: Budget,
    private readonly answers: EventAnswers,
  ) {}

  /**
   * Sends all events up to the newest one, no faster than the client reads and its rate limit allows. While a client reads
   * slowly or has no room in its window, it has no step in flight. The next step continues from its sequence.
   */
  async catchUp(subscriber: Subscriber): Promise<void> {
    const { payer, operation, ip, sender } = subscriber;
    for (let caughtUp = false; !caughtUp && !subscriber.gone; ) {
      const done = await this.budget.turn(payer, operation.price, () => subscriber.gone);
      // The embedded database answers in microtasks, so a step alone does not yield to the event loop.
      const stepAndYield = () => this.#step(subscriber).finally(() => eventLoop());
      const step = await this.#queue.run(ip, stepAndYield).finally(done);
      for (const { sequence, json } of step.answers) {
        if (subscriber.gone) return;
        sender.send(json, sequence);
        subscriber.at = sequence;
        await sender.ready();
      }
      subscriber.at = step.at;
      caughtUp = step.caughtUp;
    }
  }

  async #step({ watch, operation, actor, payer, at, startedAt, gone }: Subscriber): Promise<Step> {
    if (gone) return { answers: [], at, caughtUp: false };
    const { forgotten, last } = await liveBounds(this.deps);
    if (at < forgotten) throw new AppError('EVENTS_FORGOTTEN');
    if (actor && (await keyEnded(this.deps, actor.wallet, { after: startedAt, upTo: last }))) {
      throw new KeyEnded();
    }
    const upTo = Math.min(last, at + MAX_RANGE);
    const filter = { topics: watch.field.topics, agent: watch.agent };
    const events = await liveEventsOf(this.deps, filter, { after: at, upTo, limit: PAGE_SIZE });
    const [due = []] = await this.answers.prepare([{ operation, watch, actor, events }]);
    const count = Math.min(due.length, chunkOf(operation.cost));
    const [paid = 0] = await this.budget.pay(payer, [{ cost: operation.price, count }]);
    const next = due[paid];
    const end = events.length === PAGE_SIZE ? (events.at(-1)?.sequence ?? upTo) : upTo;
    const covered = next === undefined ? end : next.sequence - 1;
    const reading = Math.max(events.length / EVENTS_PER_POINT, (covered - at) / SEQUENCES_PER_POINT, 1);
    // A step costs its minimum even if it delivers little or nothing.
    const rest = Math.ceil(reading) - paid * operation.price;
    if (rest > 0) await this.budget.pay(payer, [{ cost: 1, count: rest }]);
    const answers = await this.answers.execute(due.slice(0, paid), operation.cost);
    return { answers, at: covered, caughtUp: covered >= last };
  }
}
