import { limitKey, siteKey } from '../../http/client-address.js';

/** Replays in flight at the same time. An IPv6 /48 counts as one address. They apply with RATE_LIMITS=off too. */
const MOST_PER_ADDRESS = 2;
const MOST_PER_PROCESS = 8;

type Line = { running: number; readonly waiting: (() => void)[] };

/** Bounds the replays in flight. Addresses take turns; replays of one address start in the order in which they came. */
export class ReplayQueue {
  /** By address. The one that had no turn for the longest time is first. */
  readonly #lines = new Map<string, Line>();
  #running = 0;

  async run<T>(ip: string, replay: () => Promise<T>): Promise<T> {
    const address = siteKey(ip) ?? limitKey(ip);
    const line = this.#lines.get(address) ?? { running: 0, waiting: [] };
    this.#lines.set(address, line);
    await new Promise<void>((resolve) => {
      line.waiting.push(resolve);
      this.#start();
    });
    try {
      return await replay();
    } finally {
      line.running -= 1;
      this.#running -= 1;
      if (line.running === 0 && line.waiting.length === 0) this.#lines.delete(address);
      this.#start();
    }
  }

  #start(): void {
    while (this.#running < MOST_PER_PROCESS) {
      const address = this.#nextAddress();
      const line = address === undefined ? undefined : this.#lines.get(address);
      const start = line?.waiting.shift();
      if (address === undefined || line === undefined || start === undefined) return;
      line.running += 1;
      this.#running += 1;
      // A map iterates in the order of insertion.
      this.#lines.delete(address);
      this.#lines.set(address, line);
      start();
    }
  }

  /** Of the addresses that wait: the one with the fewest replays in flight, and among those the one that had its turn first. */
  #nextAddress(): string | undefined {
    for (let inFlight = 0; inFlight < MOST_PER_ADDRESS; inFlight++) {
      for (const [address, { running, waiting }] of this.#lines) {
        if (running === inFlight && waiting.length > 0) return address;
      }
    }
    return undefined;
  }
}
