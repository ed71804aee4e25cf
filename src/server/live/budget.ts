import type { Deps } from '../../deps.js';
import type { Actor, Window } from '../access.js';
import { costWindows } from '../graphql/admit.js';

/** The rate limit that pays for answers: that of the API key, or that of the address for subscriptions without a key. */
export type Payer = { readonly id: string; readonly windows: readonly Window[] };

export function payerOf(actor: Actor | null, ip: string): Payer {
  const windows = costWindows(actor, ip);
  return { id: windows.map(({ key }) => key).join(' '), windows };
}

/** Answers that are ready for one subscription. `cost`: query cost of each. */
export type Due = { readonly cost: number; readonly count: number };

/** Interval at which a queue whose window is exhausted checks the window again. */
export const CHECK_EVERY_MS = 1000;
/** Maximum number of cheaper subscriptions that overtake the first in a queue. Then all wait until it has room. */
const MAX_OVERTAKES = 20;

type Waiter = {
  readonly cost: number;
  readonly isGone: () => boolean;
  readonly start: (done: () => void) => void;
  /** Number of subscriptions that overtook this one while it was the first in the queue. */
  overtaken: number;
};
type Queue = { waiters: Waiter[]; exhausted: boolean };

/** Charges delivered answers to the rate limit of the subscriber. Charges nothing with RATE_LIMITS=off. */
export class Budget {
  /** Replays by payer. With rate limits on, the replays of one payer run one at a time. */
  readonly #queues = new Map<string, Queue>();

  constructor(private readonly deps: Deps) {}

  /** Whether the window of the payer has no room for its queued replays. Its live subscriptions must then queue, too. */
  isExhausted({ id }: Payer): boolean {
    return this.#queues.get(id)?.exhausted === true;
  }

  /** Pays for as many answers as the window has room for. Returns the number of paid answers of each item, in order. */
  async pay(payer: Payer, dues: readonly Due[]): Promise<number[]> {
    const counts = dues.map(({ count }) => count);
    if (this.deps.config.RATE_LIMITS === 'off') return counts;
    const priceOf = (paid: readonly number[]) => dues.reduce((sum, { cost }, i) => sum + cost * (paid[i] ?? 0), 0);
    const price = priceOf(counts);
    if (price === 0) return counts;
    const { allowed, windows } = await this.#charge('take', payer, price);
    if (allowed) return counts;
    let room = Math.min(...windows.map(({ remaining }) => remaining));
    const paid = dues.map(({ cost, count }) => {
      const fitting = Math.min(count, Math.floor(room / cost));
      room -= fitting * cost;
      return fitting;
    });
    const partialPrice = priceOf(paid);
    // Another request may use up the window in the meantime.
    const taken = partialPrice > 0 && (await this.#charge('take', payer, partialPrice)).allowed;
    return taken ? paid : counts.map(() => 0);
  }

  /** Waits for the turn of the subscription and for room in the window. The returned function starts the next one. */
  turn(payer: Payer, cost: number, isGone: () => boolean): Promise<() => void> {
    if (this.deps.config.RATE_LIMITS === 'off') return Promise.resolve(() => {});
    return new Promise((start) => {
      const waiter = { cost, isGone, start, overtaken: 0 };
      const queue = this.#queues.get(payer.id);
      if (queue !== undefined) {
        queue.waiters.push(waiter);
        return;
      }
      const newQueue = { waiters: [waiter], exhausted: false };
      this.#queues.set(payer.id, newQueue);
      this.#startNext(payer, newQueue);
    });
  }

  /** Starts the next subscription of a queue. A queue exists while a subscription runs or waits in it. */
  async #startNext(payer: Payer, queue: Queue): Promise<void> {
    const gone = queue.waiters.filter(({ isGone }) => isGone());
    queue.waiters = queue.waiters.filter((waiter) => !gone.includes(waiter));
    for (const { start } of gone) start(() => {});
    const [first] = queue.waiters;
    if (first === undefined) {
      this.#queues.delete(payer.id);
      return;
    }
    const next = await this.#nextOf(payer, queue, first);
    queue.exhausted = next === undefined;
    if (next === undefined) {
      this.deps.times.after(CHECK_EVERY_MS, () => this.#startNext(payer, queue));
      return;
    }
    if (next !== first) first.overtaken += 1;
    queue.waiters = queue.waiters.filter((waiter) => waiter !== next);
    next.start(() => this.#startNext(payer, queue));
  }

  /** The first subscription that the window has room for. undefined if there is none, or if `first` was overtaken too often. */
  async #nextOf(payer: Payer, queue: Queue, first: Waiter): Promise<Waiter | undefined> {
    const { allowed, windows } = await this.#charge('peek', payer, first.cost);
    if (allowed) return first;
    if (first.overtaken >= MAX_OVERTAKES) return undefined;
    const room = Math.min(...windows.map(({ remaining }) => remaining));
    return queue.waiters.find(({ cost }) => cost <= room);
  }

  /** `take` charges the cost, `peek` only checks whether there is room. */
  #charge(how: 'take' | 'peek', { windows }: Payer, cost: number) {
    const charged = windows.map((window) => ({ ...window, cost }));
    return this.deps.limits[how](charged, this.deps.clock.now().getTime());
  }
}
