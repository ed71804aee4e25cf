import type { Times } from '../config/timeouts.js';
import { outageOf } from '../observe/database-errors.js';
import type { Metrics } from '../observe/metrics.js';
import type { Outages, OuterPart } from '../observe/outages.js';
import { ConnectionPool } from './connections/pool.js';
import { type Sql, sqlOver } from './sql.js';

const POLL_MS = 250;

/** A position of the primary's log, and the time before which every commit is at or before the position. */
type Sample = { readonly at: number; readonly position: bigint };

const POSITION = "select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') as position";
const REPLAYED = "select pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0') as position where pg_is_in_recovery()";

/** A replica with its state: whether it is fresh, and its queries. These go to the primary if the replica fails. */
function openReplica(url: string, part: OuterPart, { primary, outages, times, metrics }: ReplicaOptions) {
  const pool = new ConnectionPool(url, times, { server: part, metrics });
  const own = sqlOver(pool);
  /** The replica shows every commit before this time. */
  let showsUntil = Number.NEGATIVE_INFINITY;
  const isFresh = () => performance.now() - showsUntil <= times.replicaLag;
  const sql: Sql = async (text, values, origin) => {
    try {
      return await own(text, values, origin);
    } catch (error) {
      // The replica is unreachable, or it cancelled the query because its replay needed the rows.
      if (outageOf(error) === undefined) throw error;
      return primary(text, values, origin);
    }
  };
  /** Compares the position of the replay with those of the primary. */
  const check = async (samples: readonly Sample[]): Promise<void> => {
    let reason: unknown = new Error(`it is more than ${times.replicaLag / 1000} s behind`);
    try {
      const [row] = await own<{ position: bigint }>(REPLAYED);
      // A server that is no replica any more was promoted: it has its own history.
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

/** Connects to the streaming replicas of DATABASE_READ_URLS. Finds out which are fresh enough to read, now and from then on. */
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
    /** The queries of a fresh replica, in turn. undefined if no replica is fresh. */
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
