import type { Metrics } from '../../observe/metrics.js';
import { type Outages, type OuterPart, outageOf } from '../../observe/outage.js';
import type { Times } from '../../times.js';
import { createPool } from '../connections/dialect.js';
import type { ConnectionPool } from '../connections/pool.js';
import { type Sql, sqlOver } from '../sql.js';

/** A replica serves reads while it shows all commits that are older than this. */
export const MAX_LAG_MS = 5000;
const POLL_MS = 250;

/** A position of the primary's log, and the time before which every commit is at or before the position. */
type Sample = { readonly at: number; readonly position: bigint };

const POSITION = "select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') as position";
const REPLAYED = "select pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0') as position where pg_is_in_recovery()";

class Replica {
  /** The replica shows every commit before this time. */
  #showsUntil = Number.NEGATIVE_INFINITY;
  /** Runs a query on the replica, or on the primary if the replica fails. */
  readonly sql: Sql;
  readonly #own: Sql;

  constructor(
    private readonly pool: ConnectionPool,
    primary: Sql,
    private readonly outages: Outages,
    private readonly part: OuterPart,
  ) {
    this.#own = sqlOver(pool);
    this.sql = async (text, values, origin) => {
      try {
        return await this.#own(text, values, origin);
      } catch (error) {
        // The replica is unreachable, or it cancelled the query because its replay needed the rows.
        if (outageOf(error) === undefined) throw error;
        return primary(text, values, origin);
      }
    };
  }

  get isFresh(): boolean {
    return performance.now() - this.#showsUntil <= MAX_LAG_MS;
  }

  /** Compares the position of the replay with those of the primary. */
  async check(samples: readonly Sample[]): Promise<void> {
    let reason: unknown = new Error(`it is more than ${MAX_LAG_MS / 1000} s behind`);
    try {
      const [row] = await this.#own<{ position: bigint }>(REPLAYED);
      // A server that is no replica any more was promoted: it has its own history.
      if (row === undefined) throw new Error('it is no replica');
      const reached = samples.findLast(({ position }) => position <= row.position);
      if (reached) this.#showsUntil = reached.at;
    } catch (error) {
      this.#showsUntil = Number.NEGATIVE_INFINITY;
      reason = error;
    }
    if (this.isFresh) this.outages.end(this.part, 'lag');
    else this.outages.begin(this.part, 'lag', reason);
  }

  close(): Promise<void> {
    return this.pool.end();
  }
}

type ReplicaOptions = {
  readonly primary: Sql;
  readonly outages: Outages;
  readonly times: Times;
  readonly metrics: Metrics;
};

/** The streaming replicas of DATABASE_READ_URLS, and which of them are fresh enough to read from. */
export class ReadReplicas {
  readonly #replicas: readonly Replica[];
  #samples: Sample[] = [];
  #next = 0;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  readonly #primary: Sql;

  constructor(urls: readonly string[], { primary, outages, times, metrics }: ReplicaOptions) {
    this.#primary = primary;
    this.#replicas = urls.map((url, index) => {
      const name: OuterPart = `read replica ${index + 1}`;
      return new Replica(createPool(url, times, { server: name, metrics }), primary, outages, name);
    });
  }

  /** Finds out which replicas are fresh, now and from then on. */
  async start(): Promise<void> {
    await this.#poll();
  }

  /** The queries of a fresh replica, in turn. undefined if no replica is fresh. */
  pick(): Sql | undefined {
    for (let tried = 0; tried < this.#replicas.length; tried++) {
      const replica = this.#replicas[this.#next++ % this.#replicas.length];
      if (replica?.isFresh) return replica.sql;
    }
    return undefined;
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await Promise.all(this.#replicas.map((replica) => replica.close()));
  }

  async #poll(): Promise<void> {
    try {
      const at = performance.now();
      const [row] = await this.#primary<{ position: bigint }>(POSITION);
      const recent = this.#samples.filter((sample) => at - sample.at <= MAX_LAG_MS);
      this.#samples = [...recent, ...(row ? [{ at, position: row.position }] : [])];
      await Promise.all(this.#replicas.map((replica) => replica.check(this.#samples)));
    } catch {
      // Without the position of the primary, the replicas become stale after MAX_LAG_MS.
    }
    if (!this.#closed) this.#timer = setTimeout(() => this.#poll(), POLL_MS);
  }
}
