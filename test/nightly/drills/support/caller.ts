import { setTimeout as sleep } from 'node:timers/promises';

const EVERY_MS = 250;

/** Repeats a call until it is stopped, and collects its different answers. */
export class Caller {
  readonly #answers = new Set<string>();
  #stopped = false;
  readonly #loop: Promise<void>;

  constructor(private readonly call: () => Promise<Response>) {
    this.#loop = this.#repeat();
  }

  async #repeat(): Promise<void> {
    while (!this.#stopped) {
      this.#answers.add(await this.call().then(nameOf, String));
      await sleep(EVERY_MS);
    }
  }

  /** Ends the calls. Returns their different statuses, and the text of each error. */
  async stop(): Promise<string[]> {
    this.#stopped = true;
    await this.#loop;
    return [...this.#answers];
  }
}

async function nameOf(response: Response): Promise<string> {
  const text = await response.text();
  return response.ok ? String(response.status) : `${response.status} ${text.slice(0, 200)}`;
}
