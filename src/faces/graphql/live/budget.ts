import type { Deps } from '../../../deps.js';
import type { Actor } from '../../access/authenticate.js';
import type { Window } from '../../access/rate-limit.js';
import { costWindows } from '../engine/admit.js';

/** A caller that pays for answers. Subscriptions with the same key, or without a key from the same address, share one. */
export type Payer = { readonly id: string; readonly windows: readonly Window[] };

export function payerOf(actor: Actor | null, ip: string): Payer {
  const windows = costWindows(actor, ip);
  return { id: windows.map(({ key }) => key).join(' '), windows };
}

/** Answers of one cost that are ready for one subscription. */
export type Due = { readonly cost: number; readonly count: number };

/** How often a line that has no room looks whether its window has some. */
const LOOK_EVERY_MS = 1000;
/** How often cheaper subscriptions may go before the first in a line. Then all wait until it has room. */
const MOST_PASSES = 20;

type Waiting = {
  readonly cost: number;
  readonly isGone: () => boolean;
  readonly go: (done: () => void) => void;
  /** How often another went before it while it was the first. */
  passed: number;
};
type Line = { waiting: Waiting[]; exhausted: boolean };

/** Charges delivered answers to the GraphQL window of the caller that subscribed. Charges nothing with RATE_LIMITS=off. */
export class Budget {
  /** The replays of each payer. They go one after the other while their window is limited. */
  readonly #lines = new Map<string, Line>();

  constructor(private readonly deps: Deps) {}

  /** Whether the window of the payer has no room for those that wait. A live subscription must then wait behind them. */
  isExhausted({ id }: Payer): boolean {
    return this.#lines.get(id)?.exhausted === true;
  }

  /** Takes the cost of as many answers as the window has room for. Returns how many are paid of each item, in order. */
  async pay(payer: Payer, dues: readonly Due[]): Promise<number[]> {
    const counts = dues.map(({ count }) => count);
    if (this.deps.config.RATE_LIMITS === 'off') return counts;
    const priceOf = (paid: readonly number[]) => dues.reduce((sum, { cost }, i) => sum + cost * (paid[i] ?? 0), 0);
    const price = priceOf(counts);
    if (price === 0) return counts;
    const { allowed, windows } = await this.#ask('take', payer, price);
    if (allowed) return counts;
    let room = Math.min(...windows.map(({ remaining }) => remaining));
    const paid = dues.map(({ cost, count }) => {
      const fitting = Math.min(count, Math.floor(room / cost));
      room -= fitting * cost;
      return fitting;
    });
    const part = priceOf(paid);
    // Another request may take the room in the meantime.
    const taken = part > 0 && (await this.#ask('take', payer, part)).allowed;
    return taken ? paid : counts.map(() => 0);
  }

  /**
   * Waits until it is this subscription's turn and the window has room for an answer of this cost. The result lets the
   * next one go.
   */
  turn(payer: Payer, cost: number, isGone: () => boolean): Promise<() => void> {
    if (this.deps.config.RATE_LIMITS === 'off') return Promise.resolve(() => {});
    return new Promise((go) => {
      const waiting = { cost, isGone, go, passed: 0 };
      const line = this.#lines.get(payer.id);
      if (line !== undefined) {
        line.waiting.push(waiting);
        return;
      }
      const made = { waiting: [waiting], exhausted: false };
      this.#lines.set(payer.id, made);
      this.#serve(payer, made);
    });
  }

  /** Lets one subscription go. A line exists as long as one is served or waits for its turn. */
  async #serve(payer: Payer, line: Line): Promise<void> {
    const gone = line.waiting.filter(({ isGone }) => isGone());
    line.waiting = line.waiting.filter((waiting) => !gone.includes(waiting));
    for (const { go } of gone) go(() => {});
    const [first] = line.waiting;
    if (first === undefined) {
      this.#lines.delete(payer.id);
      return;
    }
    const next = await this.#nextOf(payer, line, first);
    line.exhausted = next === undefined;
    if (next === undefined) {
      setTimeout(() => this.#serve(payer, line), LOOK_EVERY_MS).unref();
      return;
    }
    if (next !== first) first.passed += 1;
    line.waiting = line.waiting.filter((waiting) => waiting !== next);
    next.go(() => this.#serve(payer, line));
  }

  /** The first that the window has room for, unless the one at the head of the line was passed over too often. */
  async #nextOf(payer: Payer, line: Line, first: Waiting): Promise<Waiting | undefined> {
    const { allowed, windows } = await this.#ask('peek', payer, first.cost);
    if (allowed) return first;
    if (first.passed >= MOST_PASSES) return undefined;
    const room = Math.min(...windows.map(({ remaining }) => remaining));
    return line.waiting.find(({ cost }) => cost <= room);
  }

  #ask(how: 'take' | 'peek', { windows }: Payer, cost: number) {
    const asked = windows.map((window) => ({ ...window, cost }));
    return this.deps.limits[how](asked, this.deps.clock.now().getTime());
  }
}
