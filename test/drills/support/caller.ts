import { setTimeout as sleep } from 'node:timers/promises';

const EVERY_MS = 100;

/** Repeats a call until it is stopped, and counts its statuses. */
export class Caller {
  readonly statuses = new Map<number, number>();
  #stopped = false;
  readonly #loop: Promise<void>;

  constructor(private readonly call: () => Promise<Response>) {
    this.#loop = this.#repeat();
  }

  async #repeat(): Promise<void> {
    while (!this.#stopped) {
      const status = await this.call().then(
        async (response) => {
          await response.arrayBuffer();
          return response.status;
        },
        () => 0,
      );
      this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
      await sleep(EVERY_MS);
    }
  }

  /** Returns the statuses that the calls got. */
  async stop(): Promise<number[]> {
    this.#stopped = true;
    await this.#loop;
    return [...this.statuses.keys()];
  }
}
