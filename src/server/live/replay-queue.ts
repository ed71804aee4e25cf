import { limitKey, siteKey } from '../access/rate-limit.js';

/** Maximum number of replay steps in flight. An IPv6 /48 counts as one address. Enforced with RATE_LIMITS=off, too. */
export const MAX_PER_ADDRESS = 2;
export const MAX_PER_PROCESS = 8;

type AddressQueue = { running: number; readonly waiting: (() => void)[] };

/** Bounds the replay steps in flight. Addresses take turns. Steps of one address start in order of arrival. */
export class ReplayQueue {
  /** Queues by address. The address whose last turn was longest ago is first. */
  readonly #queues = new Map<string, AddressQueue>();
  #running = 0;

  async run<T>(ip: string, replay: () => Promise<T>): Promise<T> {
    const address = siteKey(ip) ?? limitKey(ip);
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
