/** Time for which a cached value is served, counted from the start of its load. */
export type Freshness = {
  readonly ttlMs: number;
  /** Age up to which the value is served after the TTL, while one load replaces it. Default: the TTL. */
  readonly staleMs?: number;
  /** Whether a write of this process makes the value stale immediately. */
  readonly untilWrite?: boolean;
};

/** Policy of one cache. The callers of `get` define the unit of sizes: rows or bytes. */
export type CachePolicy = Freshness & {
  /** Freshness of larger values, which cost more to load. The last row whose `minSize` is reached applies. */
  readonly large?: readonly (Freshness & { readonly minSize: number })[];
  /** Callers wait for a running load of any age. Default: a load that is older than the TTL is stale. */
  readonly singleFlight?: boolean;
  readonly maxEntries: number;
  /** Limit for the sizes of all values together. Default: none. */
  readonly maxSize?: number;
  /** Values with longer keys are loaded on every call: no other caller asks for them. Default: none. */
  readonly maxKeyLength?: number;
};

/** Number of writes that this process has committed. A value whose load started before the last write may be stale. */
export type WriteCount = { count: number };

type Entry = {
  readonly value: Promise<unknown>;
  readonly loadedAt: number;
  readonly writes: number;
  /** While the value is loading: the size of the previous value. */
  size: number;
  loading: boolean;
  /** The load that will replace the value. */
  renewal?: Entry | undefined;
};

/** Caches the results of loads by key. Concurrent callers share one load. A failed load is not cached. */
export class Cache {
  /** Entries in the order of their loads. The oldest entry is evicted first. */
  readonly #entries = new Map<string, Entry>();
  readonly #policy: CachePolicy & { readonly maxSize: number; readonly maxKeyLength: number };
  #size = 0;

  constructor(
    policy: CachePolicy,
    private readonly now: () => number,
    private readonly writes: WriteCount = { count: 0 },
  ) {
    this.#policy = { maxSize: Number.POSITIVE_INFINITY, maxKeyLength: Number.POSITIVE_INFINITY, ...policy };
  }

  /** The cached value, or the result of `load`. The key must contain everything that the value depends on. */
  get<T>(key: string, load: () => Promise<T>, sizeOf: (value: T) => number = () => 0): Promise<T> {
    if (key.length > this.#policy.maxKeyLength) return load();
    const entry = this.#entries.get(key);
    if (entry?.renewal && this.#isStale(entry) && !this.#isStale(entry.renewal)) {
      this.#store(key, entry.renewal);
      return entry.renewal.value as Promise<T>;
    }
    if (!entry || this.#isStale(entry)) {
      const loading = this.#load(key, entry?.size ?? 0, load, sizeOf);
      this.#store(key, loading);
      return loading.value as Promise<T>;
    }
    if (!entry.renewal && this.#ageOf(entry) >= this.#freshnessOf(entry).ttlMs) {
      const renewal = this.#load(key, entry.size, load, sizeOf);
      entry.renewal = renewal;
      renewal.value.then(
        () => {
          if (this.#entries.get(key) === entry) this.#store(key, renewal);
        },
        () => {
          entry.renewal = undefined;
        },
      );
    }
    return entry.value as Promise<T>;
  }

  /** The next `get` of the key loads again. */
  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (entry) this.#remove(key, entry);
  }

  get stats(): { readonly entries: number; readonly size: number } {
    return { entries: this.#entries.size, size: this.#size };
  }

  #load<T>(key: string, size: number, load: () => Promise<T>, sizeOf: (value: T) => number): Entry {
    const start = { loadedAt: this.now(), writes: this.writes.count };
    const value = load();
    const entry: Entry = { ...start, value, size, loading: true };
    value.then(
      (loaded) => {
        const { size: estimate } = entry;
        entry.size = sizeOf(loaded);
        entry.loading = false;
        if (this.#entries.get(key) !== entry) return;
        this.#size += entry.size - estimate;
        this.#evict();
      },
      () => this.#remove(key, entry),
    );
    return entry;
  }

  #store(key: string, entry: Entry): void {
    this.delete(key);
    this.#entries.set(key, entry);
    this.#size += entry.size;
    this.#evict();
  }

  #remove(key: string, entry: Entry): void {
    if (this.#entries.get(key) !== entry) return;
    this.#entries.delete(key);
    this.#size -= entry.size;
  }

  #evict(): void {
    for (const [key, entry] of this.#entries) {
      const fits = this.#entries.size <= this.#policy.maxEntries && this.#size <= this.#policy.maxSize;
      if (fits && !this.#isExpired(entry)) return;
      this.#remove(key, entry);
    }
  }

  #isStale(entry: Entry): boolean {
    return this.#isExpired(entry) || (!!this.#freshnessOf(entry).untilWrite && entry.writes !== this.writes.count);
  }

  #isExpired(entry: Entry): boolean {
    const { ttlMs, staleMs = ttlMs } = this.#freshnessOf(entry);
    return this.#ageOf(entry) >= staleMs;
  }

  #freshnessOf({ size }: Entry): Freshness {
    return this.#policy.large?.findLast(({ minSize }) => size >= minSize) ?? this.#policy;
  }

  /** Absolute difference, so that a value expires even if the clock is set back. */
  #ageOf({ loading, loadedAt }: Entry): number {
    return this.#policy.singleFlight && loading ? 0 : Math.abs(this.now() - loadedAt);
  }
}
