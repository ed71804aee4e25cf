import type { Limits, Window } from './limits.js';
import { costOf, fitsAll, LINGER_MS, type Standing, verdict } from './verdict.js';

/** The limits of one process, in its memory. */
export function processLimits(): Limits {
  const histories = new Map<string, History>();
  let sweep = histories.entries();

  /**
   * Looks at the next two keys and drops those whose window is empty. Two for every place taken is more than can be
   * added, so the map stays within about twice the keys in use, without a timer and without a pause.
   */
  function sweepTwo(now: number): void {
    for (let looked = 0; looked < 2; looked += 1) {
      const { done, value } = sweep.next();
      if (done) {
        sweep = histories.entries();
        return;
      }
      if (value[1].emptyFrom + LINGER_MS < now) histories.delete(value[0]);
    }
  }

  function accept(window: Window, now: number): void {
    let history = histories.get(window.key);
    if (!history) {
      history = new History();
      histories.set(window.key, history);
    }
    history.accept(window, now);
    sweepTwo(now);
  }

  // Nothing awaits between reading and accepting: a request is atomic.
  async function judge(windows: readonly Window[], now: number, take: boolean) {
    const standings = windows.map((window) => (histories.get(window.key) ?? nothingYet).standing(window, now));
    if (take && fitsAll(standings, now)) {
      for (const window of windows) if (costOf(window) > 0) accept(window, now);
    }
    return verdict(windows, standings, now, take);
  }

  return {
    take: (windows, now) => judge(windows, now, true),
    peek: (windows, now) => judge(windows, now, false),
    close: async () => histories.clear(),
  };
}

type Accepted = { readonly time: number; readonly cost: number; readonly costBefore: number };

/**
 * The accepted requests of one key in the order of time. Each carries the cost of all before it, so that what counts
 * in a window, and what must leave it, are found by bisection.
 */
class History {
  private accepted: Accepted[] = [];
  emptyFrom = Number.NEGATIVE_INFINITY;

  standing(window: Window, now: number): Standing {
    const first = this.firstCounted(window, now);
    const oldest = this.accepted[first];
    const newest = this.accepted.at(-1);
    const used = oldest && newest ? newest.costBefore + newest.cost - oldest.costBefore : 0;
    const excess = used + costOf(window) - window.max;
    return {
      used,
      oldest: oldest?.time ?? null,
      passesAt: excess > 0 ? this.momentWithout(excess, first, window) : now,
    };
  }

  /** The moment when so much of the cost that counts from the first on has left the window; null if there is less. */
  private momentWithout(excess: number, first: number, { seconds }: Window): number | null {
    const before = this.accepted[first]?.costBefore ?? 0;
    const last = bisect(this.accepted, (entry) => entry.costBefore + entry.cost - before >= excess, first);
    const leaving = this.accepted[last];
    return leaving ? leaving.time + seconds * 1000 : null;
  }

  accept(window: Window, now: number): void {
    const newest = this.accepted.at(-1);
    const time = Math.max(now, newest?.time ?? now);
    // What has left the window goes when it is half of all, so that each request is moved once on average.
    const first = this.firstCounted(window, now);
    if (first * 2 >= this.accepted.length) this.accepted.splice(0, first);
    const costBefore = newest ? newest.costBefore + newest.cost : 0;
    this.accepted.push({ time, cost: costOf(window), costBefore });
    this.emptyFrom = time + window.seconds * 1000;
  }

  /** A clock that steps back counts as standing still: nothing that has left the window comes back. */
  private firstCounted({ seconds }: Window, now: number): number {
    const start = Math.max(now, this.accepted.at(-1)?.time ?? now) - seconds * 1000;
    return bisect(this.accepted, ({ time }) => time > start);
  }
}

const nothingYet = new History();

/** The first index from `low` on whose entry meets the condition, where all entries after it meet it too. */
function bisect<T>(entries: readonly T[], meets: (entry: T) => boolean, low = 0): number {
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const entry = entries[middle];
    if (entry === undefined || meets(entry)) high = middle;
    else low = middle + 1;
  }
  return low;
}
