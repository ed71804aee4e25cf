import { setImmediate as loop } from 'node:timers/promises';
import { liveBounds, liveEventsOf, profileEnded } from '../../../core/events/queries/live-events.js';
import type { Deps } from '../../../deps.js';
import { AppError } from '../../../errors.js';
import type { Budget } from './budget.js';
import { type Answer, chunkOf, type EventAnswers } from './event-answers.js';
import { ReplayQueue } from './replay-queue.js';
import type { Subscriber } from './subscriber.js';

/** Events that one step of a replay reads at most. */
const PAGE = 100;
/** Sequences that one step covers at most, so that it ends soon where the subscription asks for few of the events. */
const RANGE = 1000;
/** A step costs at least a point for so many events that it reads, and for so many sequences that it covers. */
const EVENTS_A_POINT = 2;
const SEQUENCES_A_POINT = 40;

type Step = {
  readonly answers: readonly Answer[];
  /** The last event that the step covers. */
  readonly at: number;
  readonly caughtUp: boolean;
};

/** Sends subscribers what they missed, each on its own: nobody else waits for it. */
export class Replays {
  readonly #queue = new ReplayQueue();

  constructor(
    private readonly deps: Deps,
    private readonly budget: Budget,
    private readonly answers: EventAnswers,
  ) {}

  /**
   * Sends everything up to the newest event, no faster than the client reads and its window allows. A client that reads
   * slowly, or whose window is exhausted, has no replay in flight: it keeps its sequence, and the next step reads from there.
   */
  async catchUp(subscriber: Subscriber): Promise<void> {
    const { payer, operation, ip, sender } = subscriber;
    for (let caughtUp = false; !caughtUp && !subscriber.gone; ) {
      const done = await this.budget.turn(payer, operation.cost, () => subscriber.gone);
      const step = await this.#queue.run(ip, () => this.#stepAndYield(subscriber)).finally(done);
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

  /**
   * Other work goes on before the next step of any replay starts. The embedded database answers in microtasks, so a step
   * alone does not let it.
   */
  async #stepAndYield(subscriber: Subscriber): Promise<Step> {
    try {
      return await this.#step(subscriber);
    } finally {
      await loop();
    }
  }

  async #step({ watch, operation, actor, payer, at, began, gone }: Subscriber): Promise<Step> {
    if (gone) return { answers: [], at, caughtUp: false };
    const { forgotten, last } = await liveBounds(this.deps);
    if (at < forgotten) throw new AppError('EVENTS_FORGOTTEN');
    if (actor && (await profileEnded(this.deps, actor.wallet, { after: began, upTo: last }))) {
      throw new AppError('INVALID_KEY');
    }
    const upTo = Math.min(last, at + RANGE);
    const events = await liveEventsOf(this.deps, watch.filter, { after: at, upTo, limit: PAGE });
    const [due = []] = await this.answers.prepare([{ operation, watch, actor, events }]);
    const count = Math.min(due.length, chunkOf(operation.cost));
    const [paid = 0] = await this.budget.pay(payer, [{ cost: operation.cost, count }]);
    const next = due[paid];
    const end = events.length === PAGE ? (events.at(-1)?.sequence ?? upTo) : upTo;
    const covered = next === undefined ? end : next.sequence - 1;
    const price = Math.max(events.length / EVENTS_A_POINT, (covered - at) / SEQUENCES_A_POINT, 1);
    // Reading has its price also where there is little or nothing to deliver.
    const rest = Math.ceil(price) - paid * operation.cost;
    if (rest > 0) await this.budget.pay(payer, [{ cost: 1, count: rest }]);
    const answers = await this.answers.execute(due.slice(0, paid), operation.cost);
    return { answers, at: covered, caughtUp: covered >= last };
  }
}
