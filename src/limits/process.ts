import { fitsAll, LINGER_MS, type Limits, verdict, type Window, type WindowUsage, windowCost } from './limits.js';

/** Rate limits of one process, in memory. */
export function processLimits(): Limits {
  const histories = new Map<string, History>();
  let sweep = histories.entries();

  /**
   * Checks the next two keys, and evicts those whose window has been empty for LINGER_MS. Two checks per accepted request keep the
   * map below about twice the keys in use, without a timer and without a long pause.
   */
  function evictTwo(now: number): void {
    for (let checked = 0; checked < 2; checked += 1) {
      const { done, value } = sweep.next();
      if (done) {
        sweep = histories.entries();
        return;
      }
      if (value[1].emptyFrom + LINGER_MS < now) histories.delete(value[0]);
    }
  }

  /**
   * The accepted requests of a key. Drops a history whose times are far in the future: the clock has stepped back
   * since, and the history would refuse its caller until the clock reaches these times.
   */
  function historyOf(key: string, now: number): History | undefined {
    const history = histories.get(key);
    if (history === undefined || (history.newest?.time ?? now) - now <= LINGER_MS) return history;
    histories.delete(key);
    return undefined;
  }

  function accept(window: Window, now: number): void {
    const history = historyOf(window.key, now) ?? new History();
    // If the map already has the key, the key keeps its place, so the sweep still reaches it.
    histories.set(window.key, history);
    history.accept(window, now);
    evictTwo(now);
  }

  // There is no await between the check and the acceptance, so both happen atomically.
  async function judge(windows: readonly Window[], now: number, take: boolean) {
    const usages = windows.map((window) => (historyOf(window.key, now) ?? EMPTY_HISTORY).usage(window, now));
    if (take && fitsAll(usages, now)) {
      for (const window of windows) if (windowCost(window) > 0) accept(window, now);
    }
    return verdict(windows, usages, now, take);
  }

  return {
    take: (windows, now) => judge(windows, now, true),
    peek: (windows, now) => judge(windows, now, false),
    close: async () => histories.clear(),
  };
}

/** An accepted request. `before`: total cost of all requests before it. `after`: the same total with its cost. */
type Accepted = { readonly time: number; readonly before: number; readonly after: number };

/**
 * Accepted requests of one key, sorted by time. With their cumulated costs, a binary search finds which requests count, and which
 * of them must leave the window before a new request fits.
 */
class History {
  private accepted: Accepted[] = [];
  emptyFrom = Number.NEGATIVE_INFINITY;

  get newest(): Accepted | undefined {
    return this.accepted.at(-1);
  }

  usage(window: Window, now: number): WindowUsage {
    const first = this.firstCounted(window, now);
    const { time: oldest = null, before = 0 } = this.accepted[first] ?? {};
    const used = oldest === null ? 0 : (this.newest?.after ?? 0) - before;
    const excess = used + windowCost(window) - window.max;
    if (excess <= 0) return { used, oldest, passesAt: now };
    // The request fits when the oldest requests, which together cost at least `excess`, have left the window. It never fits if all
    // requests in the window cost less.
    const leaving = this.accepted[bisect(this.accepted, ({ after }) => after - before >= excess, first)];
    return { used, oldest, passesAt: leaving ? leaving.time + window.seconds * 1000 : null };
  }

  accept(window: Window, now: number): void {
    const { time: newest = now, after: before = 0 } = this.newest ?? {};
    const time = Math.max(now, newest);
    // Expired entries are removed only when they are at least half of the list, so each entry is moved once on average.
    const first = this.firstCounted(window, now);
    if (first * 2 >= this.accepted.length) this.accepted.splice(0, first);
    this.accepted.push({ time, before, after: before + windowCost(window) });
    this.emptyFrom = time + window.seconds * 1000;
  }

  /** If the clock steps back, the time of the newest request counts, so that expired requests do not count again. */
  private firstCounted({ seconds }: Window, now: number): number {
    const start = Math.max(now, this.newest?.time ?? now) - seconds * 1000;
    return bisect(this.accepted, ({ time }) => time > start);
  }
}

const EMPTY_HISTORY = new History();

/** First index from `low` on that meets a monotonic condition. The length of the list if none does. */
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
