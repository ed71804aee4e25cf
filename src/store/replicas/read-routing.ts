import { LRUCache } from 'lru-cache';
import { type Caches, openCaches } from '../../freshness.js';
import type { WriteCount } from '../cache.js';
import type { Sql } from '../sql.js';
import { MAX_LAG_MS } from './read-replicas.js';

/** Longest time for which a cache keeps a value that a write makes stale: `totals` of a long list. */
const LONGEST_CACHED_MS = 30_000;
/**
 * Time after a write in which its caller reads from the primary. Afterwards every replica that serves reads has replayed
 * the write, and the caches of replica reads contain no value from before it.
 */
const HOLD_MS = MAX_LAG_MS + LONGEST_CACHED_MS;

/** The service never has more writers in this time. */
const MAX_WRITERS = 100_000;

/** Shares with the other processes of the service which callers have written. */
export type Writers = {
  /** Tells all processes that a caller has written. Resolves when the reachable ones know it, and never rejects. */
  tellWriter(caller: string): Promise<void>;
  onWriter(listener: (caller: string) => void): void;
};

type Reading = { readonly sql: Sql; readonly caches: Caches };

/**
 * Sends public reads to replicas, except those of callers that have written lately: a caller sees its own write in its next
 * answer. Replica reads have caches of their own, so that no stale value gets into the caches of the primary.
 */
export class ReadRouting {
  /** The callers that have written lately. */
  readonly #writers = new LRUCache<string, true>({ max: MAX_WRITERS, ttl: HOLD_MS });
  readonly #caches: Caches;

  constructor(
    private readonly replicas: { pick(): Sql | undefined },
    private readonly writers: Writers,
    { now, writes }: { readonly now: () => number; readonly writes: WriteCount },
  ) {
    this.#caches = openCaches(now, writes);
    writers.onWriter((caller) => this.#writers.set(caller, true));
  }

  /** Dependencies for a public read: those with a replica, or `deps`. `callers`: the names under which the caller writes. */
  depsFor<D extends Reading>(deps: D, callers: readonly string[]): D {
    if (callers.some((caller) => this.#writers.has(caller))) return deps;
    const sql = this.replicas.pick();
    return sql === undefined ? deps : { ...deps, sql, caches: this.#caches };
  }

  /** Remembers a write of a caller, in all processes. Call it before the write is answered. */
  async noteWrite(caller: string): Promise<void> {
    this.#writers.set(caller, true);
    await this.writers.tellWriter(caller);
  }
}
