/**
 * Maximum query cost that executes at the same time. It bounds how long one step of the event loop can take, and still lets
 * the loaders of cheap answers batch their reads.
 */
const MAX_RUNNING_COST = 250;

type Task = { readonly cost: number; readonly start: () => Promise<unknown> };

/**
 * Executes the answers of all subscriptions, cheapest first, so that a heavy subscription does not delay a cheap one. The
 * event loop serves other work between the steps.
 */
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
