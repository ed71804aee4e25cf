import type { Times } from '../config/timeouts.js';
import { outageOf } from '../observe/database-errors.js';
import type { Metrics } from '../observe/metrics.js';
import type { Outages, OuterPart } from '../observe/outages.js';
import { ConnectionPool } from './connections/pool.js';
import { type Sql, sqlOver } from './sql.js';

const POLL_MS = 250;

/** A position in the primary's write-ahead log. Commits before the time `at` are all at or before this position. */
type Sample = { readonly at: number; readonly position: bigint };

const POSITION = "select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') as position";
const REPLAYED = "select pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0') as position where pg_is_in_recovery()";

/**
 * Opens a replica. Its queries go to the primary if the replica fails. `isFresh` says whether the replica is fresh enough to read.
 */
function openReplica(url: string, part: OuterPart, { primary, outages, times, metrics }: ReplicaOptions) {
  const pool = new ConnectionPool(url, times, { server: part, metrics });
  const own = sqlOver(pool);
  /** Time before which the replica shows every commit. */
  let showsUntil = Number.NEGATIVE_INFINITY;
  const isFresh = () => performance.now() - showsUntil <= times.replicaLag;
  const sql: Sql = async (text, values, origin) => {
    try {
      return await own(text, values, origin);
    } catch (error) {
      // The primary answers: the replica is unreachable, or cancelled the query because its replay needed the rows.
      if (outageOf(error) === undefined) throw error;
      return primary(text, values, origin);
    }
  };
  /** Compares the position up to which the replica has replayed the log with the samples of the primary. */
  const check = async (samples: readonly Sample[]): Promise<void> => {
    let reason: unknown = new Error(`it is more than ${times.replicaLag / 1000} s behind`);
    try {
      const [row] = await own<{ position: bigint }>(REPLAYED);
      // The server was promoted and is no longer a replica. Its data may differ from the primary, so it must not be read.
      if (row === undefined) throw new Error('it is no replica');
      const reached = samples.findLast(({ position }) => position <= row.position);
      if (reached) showsUntil = reached.at;
    } catch (error) {
      showsUntil = Number.NEGATIVE_INFINITY;
      reason = error;
    }
    if (isFresh()) outages.end(part, 'lag');
    else outages.begin(part, 'lag', reason);
  };
  return { isFresh, sql, check, close: () => pool.end() };
}

type ReplicaOptions = {
  readonly primary: Sql;
  readonly outages: Outages;
  readonly times: Times;
  readonly metrics: Metrics;
};

/** Connects to the streaming replicas of DATABASE_READ_URLS. Checks at the start, and then every POLL_MS, which are fresh. */
export async function openReadReplicas(urls: readonly string[], options: ReplicaOptions) {
  const replicas = urls.map((url, index) => openReplica(url, `read replica ${index + 1}`, options));
  let samples: readonly Sample[] = [];
  let next = 0;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  const poll = async (): Promise<void> => {
    try {
      const at = performance.now();
      const [row] = await options.primary<{ position: bigint }>(POSITION);
      const recent = samples.filter((sample) => at - sample.at <= options.times.replicaLag);
      samples = [...recent, ...(row ? [{ at, position: row.position }] : [])];
      await Promise.all(replicas.map((replica) => replica.check(samples)));
    } catch {
      // Without the position of the primary, the replicas become stale after `replicaLag`.
    }
    if (!isClosed) timer = setTimeout(poll, POLL_MS);
  };
  await poll();
  return {
    /** Returns the queries of the next fresh replica, so that fresh replicas take turns. undefined if no replica is fresh. */
    pick(): Sql | undefined {
      for (let tried = 0; tried < replicas.length; tried++) {
        const replica = replicas[next++ % replicas.length];
        if (replica?.isFresh()) return replica.sql;
      }
      return undefined;
    },
    async close(): Promise<void> {
      isClosed = true;
      clearTimeout(timer);
      await Promise.all(replicas.map((replica) => replica.close()));
    },
  };
}
