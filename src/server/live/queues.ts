import { networksOf } from '../access.js';

/** Query cost that executes at the same time. Bounds a step of the event loop, but lets loaders batch cheap answers. */
const MAX_RUNNING_COST = 250;

type Task = { readonly cost: number; readonly start: () => Promise<unknown> };

/** Executes the cheapest answers first, so that a heavy subscription does not delay a cheap one. */
export class ExecutionQueue {
  /** The tasks that wait, sorted by cost, cheapest last. */
  readonly #waiting: Task[] = [];
  #runningCost = 0;
  #scheduled = false;

  run<T>(cost: number, execute: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const start = () => execute().then(resolve, reject);
      this.#waiting.splice(this.#indexFor(cost), 0, { cost, start });
      this.#schedule();
    });
  }

  /** Index at which a new task is inserted: before waiting tasks of the same cost, because tasks are taken from the end. */
  #indexFor(cost: number): number {
    let [low, high] = [0, this.#waiting.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#waiting[middle]?.cost ?? 0) > cost) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#start();
    });
  }

  #start(): void {
    for (let next = this.#waiting.at(-1); next !== undefined; next = this.#waiting.at(-1)) {
      const { cost, start } = next;
      if (this.#runningCost > 0 && this.#runningCost + cost > MAX_RUNNING_COST) return;
      this.#waiting.pop();
      this.#runningCost += cost;
      start().finally(() => {
        this.#runningCost -= cost;
        this.#schedule();
      });
    }
  }
}

/** Maximum number of replay steps in flight. Enforced with RATE_LIMITS=off, too. */
export const MAX_PER_ADDRESS = 2;
export const MAX_PER_PROCESS = 8;

type AddressQueue = { running: number; readonly waiting: (() => void)[] };

/** Bounds the replay steps in flight. Addresses take turns. Steps of one address start in order of arrival. */
export class ReplayQueue {
  /** Queues by address. The address whose last turn was longest ago is first. */
  readonly #queues = new Map<string, AddressQueue>();
  #running = 0;

  async run<T>(ip: string, replay: () => Promise<T>): Promise<T> {
    // An IPv6 /48 counts as one address.
    const address = networksOf(ip).at(-1)?.key ?? ip;
    const queue = this.#queues.get(address) ?? { running: 0, waiting: [] };
    this.#queues.set(address, queue);
    await new Promise<void>((resolve) => {
      queue.waiting.push(resolve);
      this.#start();
    });
    try {
      return await replay();
    } finally {
      queue.running -= 1;
      this.#running -= 1;
      if (queue.running === 0 && queue.waiting.length === 0) this.#queues.delete(address);
      this.#start();
    }
  }

  #start(): void {
    while (this.#running < MAX_PER_PROCESS) {
      const next = this.#next();
      if (next === undefined) return;
      const [address, queue] = next;
      queue.running += 1;
      this.#running += 1;
      // A Map iterates in insertion order, so this moves the address to the end.
      this.#queues.delete(address);
      this.#queues.set(address, queue);
      queue.waiting.shift()?.();
    }
  }

  /** The waiting address with the fewest steps in flight; among equals, the one whose last turn was longest ago. */
  #next(): [address: string, AddressQueue] | undefined {
    for (let inFlight = 0; inFlight < MAX_PER_ADDRESS; inFlight++) {
      for (const [address, queue] of this.#queues) {
        if (queue.running === inFlight && queue.waiting.length > 0) return [address, queue];
      }
    }
    return undefined;
  }
}
