import { LRUCache } from 'lru-cache';

/** Time for which a cached value is served, counted from the start of its load. */
export type Freshness = {
  readonly ttlMs: number;
  /** Age up to which the value is served after the TTL, while one load replaces it. Default: the TTL. */
  readonly staleMs?: number;
  /** Whether a write of this process makes the value stale immediately. */
  readonly untilWrite?: boolean;
};

/** Policy of one cache. The unit of sizes, such as rows or bytes, is that of `sizeOf`, which the callers of `get` pass. */
export type CachePolicy = Freshness & {
  /** Freshness of larger values, which cost more to load. The last row whose `minSize` is reached applies. */
  readonly large?: readonly (Freshness & { readonly minSize: number })[];
  /** If true, callers wait for a running load of any age. Default: a load older than the TTL is stale, and a new one starts. */
  readonly singleFlight?: boolean;
  readonly maxEntries: number;
  /** Limit for the sizes of all values together. Default: none. */
  readonly maxSize?: number;
  /** Maximum length of a key. Values with longer keys are not cached, because no other caller asks for them. Default: none. */
  readonly maxKeyLength?: number;
};

/** Number of writes of this process that may have changed cached data. A value whose load began before the last may be stale. */
export type WriteCount = { count: number };

type Entry = {
  readonly value: Promise<unknown>;
  readonly loadedAt: number;
  readonly writes: number;
  readonly isLoading: boolean;
  /** While the value is loading: the size of the previous value. */
  readonly size: number;
  /** The previous value, which is served while this one is loading. */
  readonly before?: Entry | undefined;
};

/** Caches the results of loads by key. Concurrent callers share one load. If a load fails, the previous value stays. */
export class Cache {
  readonly #entries: LRUCache<string, Entry>;

  constructor(
    private readonly policy: CachePolicy,
    private readonly now: () => number,
    private readonly writes: WriteCount = { count: 0 },
  ) {
    const { maxEntries, maxSize = Number.MAX_SAFE_INTEGER } = policy;
    this.#entries = new LRUCache({ max: maxEntries, maxSize });
  }

  /** The cached value, or the result of `load`. The key must contain everything that the value depends on. */
  get<T>(key: string, load: () => Promise<T>, sizeOf: (value: T) => number = () => 0): Promise<T> {
    const { maxKeyLength = Number.POSITIVE_INFINITY } = this.policy;
    if (key.length > maxKeyLength) return load();
    let entry = this.#entries.get(key);
    // If the stale entry is a load that still runs, the new load takes over its previous value.
    if (entry === undefined || this.#isStale(entry)) entry = this.#load(key, load, sizeOf, entry?.before);
    else if (!entry.isLoading && this.#isOld(entry)) entry = this.#load(key, load, sizeOf, entry);
    const { before } = entry;
    return (before && !this.#isStale(before) ? before : entry).value as Promise<T>;
  }

  /** The next `get` of the key loads again. */
  delete(key: string): void {
    this.#entries.delete(key);
  }

  get stats(): { readonly entries: number; readonly size: number } {
    return { entries: this.#entries.size, size: this.#entries.calculatedSize };
  }

  #load<T>(key: string, load: () => Promise<T>, sizeOf: (value: T) => number, before: Entry | undefined): Entry {
    const start = { loadedAt: this.now(), writes: this.writes.count };
    const value = load();
    const entry: Entry = { ...start, value, isLoading: true, size: before?.size ?? 0, before };
    this.#set(key, entry);
    const replace = (by: Entry | undefined) => {
      if (this.#entries.peek(key) !== entry) return;
      if (by) this.#set(key, by);
      else this.#entries.delete(key);
    };
    value.then(
      (loaded) => replace({ ...start, value, isLoading: false, size: sizeOf(loaded) }),
      () => replace(before),
    );
    return entry;
  }

  #set(key: string, entry: Entry): void {
    this.#entries.set(key, entry, { size: Math.max(1, entry.size) });
  }

  /** Whether the value must no longer be served. */
  #isStale(entry: Entry): boolean {
    const { ttlMs, staleMs = ttlMs, untilWrite } = this.#freshnessOf(entry);
    return this.#ageOf(entry) >= staleMs || (!!untilWrite && entry.writes !== this.writes.count);
  }

  /** Whether a load should replace the value, although it may still be served meanwhile. */
  #isOld(entry: Entry): boolean {
    return this.#ageOf(entry) >= this.#freshnessOf(entry).ttlMs;
  }

  #freshnessOf({ size }: Entry): Freshness {
    return this.policy.large?.findLast(({ minSize }) => size >= minSize) ?? this.policy;
  }

  /**
   * Age of an entry; 0 during a load with `singleFlight`. It is an absolute difference, so that a value expires even if the clock
   * is set back.
   */
  #ageOf({ isLoading, loadedAt }: Entry): number {
    return this.policy.singleFlight && isLoading ? 0 : Math.abs(this.now() - loadedAt);
  }
}
