/** How long a cached value is served, counted from the start of its load. */
export type Freshness = {
  readonly ttlMs: number;
  /** After the TTL and until this age, the value is still served while one load replaces it. Default: the TTL. */
  readonly staleMs?: number;
  /** A write of this process makes the value stale immediately. */
  readonly untilWrite?: boolean;
};

/** The declaration of one cache. `size` of a value is what its `get` measures: rows, or bytes. */
export type CachePolicy = Freshness & {
  /** Larger values are costlier to load. The last row that applies replaces the freshness above. */
  readonly large?: readonly (Freshness & { readonly minSize: number })[];
  /** Callers wait for a running load however old it is. Default: a load that is older than the TTL is stale. */
  readonly singleFlight?: boolean;
  readonly maxEntries: number;
  /** Limit for the sizes of all values together. Default: none. */
  readonly maxSize?: number;
  /** Values with longer keys are loaded on every call: no other caller asks for them. Default: none. */
  readonly maxKeyLength?: number;
};

export type Cache = {
  /**
   * The cached value of a key, or the result of `load`. Concurrent callers share one load. A failed load is not cached.
   * The key must contain everything that the value depends on.
   */
  get<T>(key: string, load: () => Promise<T>, sizeOf?: (value: T) => number): Promise<T>;
  /** The next `get` of the key loads again. */
  delete(key: string): void;
  readonly stats: { readonly entries: number; readonly size: number };
};

/** The number of writes that this process has committed. A value whose load began before the last one may be stale. */
export type WriteCount = { count: number };

type Entry = {
  readonly value: Promise<unknown>;
  readonly loadedAt: number;
  readonly writes: number;
  /** Of a value that is still loading: the size of the value before it. */
  size: number;
  loading: boolean;
  renewing: boolean;
};

export function createCache(policy: CachePolicy, now: () => number, writes: WriteCount = { count: 0 }): Cache {
  // In the order of their loads: the oldest entry is evicted first.
  const entries = new Map<string, Entry>();
  let totalSize = 0;

  const freshnessOf = ({ size }: Entry): Freshness => policy.large?.findLast((row) => size >= row.minSize) ?? policy;
  // A clock that is set back makes no value younger.
  const ageOf = ({ loading, loadedAt }: Entry): number =>
    policy.singleFlight && loading ? 0 : Math.abs(now() - loadedAt);
  const remove = (key: string, entry: Entry): void => {
    if (entries.get(key) !== entry) return;
    entries.delete(key);
    totalSize -= entry.size;
  };
  const store = (key: string, entry: Entry): void => {
    const previous = entries.get(key);
    if (previous) remove(key, previous);
    entries.set(key, entry);
    totalSize += entry.size;
    evict();
  };
  const evict = (): void => {
    for (const [key, entry] of entries) {
      const { ttlMs, staleMs = ttlMs } = freshnessOf(entry);
      const fits = entries.size <= policy.maxEntries && totalSize <= (policy.maxSize ?? Number.POSITIVE_INFINITY);
      if (fits && ageOf(entry) < staleMs) return;
      remove(key, entry);
    }
  };
  const start = <T>(key: string, size: number, load: () => Promise<T>, sizeOf: (value: T) => number): Entry => {
    const begun = { loadedAt: now(), writes: writes.count };
    const value = load();
    const entry: Entry = { ...begun, value, size, loading: true, renewing: false };
    value.then(
      (loaded) => {
        const { size: estimate } = entry;
        entry.size = sizeOf(loaded);
        entry.loading = false;
        if (entries.get(key) !== entry) return;
        totalSize += entry.size - estimate;
        evict();
      },
      () => remove(key, entry),
    );
    return entry;
  };

  return {
    get<T>(key: string, load: () => Promise<T>, sizeOf: (value: T) => number = () => 0): Promise<T> {
      if (key.length > (policy.maxKeyLength ?? Number.POSITIVE_INFINITY)) return load();
      const entry = entries.get(key);
      const { ttlMs, staleMs = ttlMs, untilWrite } = entry ? freshnessOf(entry) : policy;
      const age = entry ? ageOf(entry) : Number.POSITIVE_INFINITY;
      if (!entry || age >= staleMs || (untilWrite && entry.writes !== writes.count)) {
        const loading = start(key, entry?.size ?? 0, load, sizeOf);
        store(key, loading);
        return loading.value as Promise<T>;
      }
      if (age >= ttlMs && !entry.renewing) {
        entry.renewing = true;
        const renewal = start(key, entry.size, load, sizeOf);
        renewal.value.then(
          () => {
            if (entries.get(key) === entry) store(key, renewal);
          },
          () => {
            entry.renewing = false;
          },
        );
      }
      return entry.value as Promise<T>;
    },
    delete(key) {
      const entry = entries.get(key);
      if (entry) remove(key, entry);
    },
    get stats() {
      return { entries: entries.size, size: totalSize };
    },
  };
}
