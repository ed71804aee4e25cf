import { statfsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Logger } from 'pino';
import { openCaches } from '../cache/caches.js';
import { type Config, ConfigError, ReadOnlyDatabase, Unreachable } from '../config/config.js';
import { timesOf } from '../config/timeouts.js';
import type { Deps, State } from '../deps.js';
import { OperatorError } from '../errors/errors.js';
import { codeOf, outageOf, REFUSED, refusalOf } from '../observe/database-errors.js';
import type { Metrics } from '../observe/metrics.js';
import { firstLine, type Outages } from '../observe/outages.js';
import type { Lease } from '../store/connections/lease.js';
import { type Database, type DatabaseTarget, type Migrated, migrate } from '../store/database.js';
import { openReadReplicas } from '../store/read-replicas.js';
import { poolOf } from '../store/sql.js';
import { openDatabase } from './orm.js';
import { untilReached } from './patience.js';
import { refuseRequests } from './servers.js';
import { type Stops, stopAll } from './stops.js';

export type StartedDatabase = {
  readonly orm: Database;
  readonly target: DatabaseTarget;
  readonly migrations: readonly Migrated[];
};

type Opening = {
  readonly metrics?: Metrics;
  /** Whether a read-only database, such as a standby, is refused. @default false: some commands only read */
  readonly isWritten?: boolean;
};

/** Opens the database and migrates it. Throws Unreachable if the server cannot be reached. */
export async function startDatabase(
  config: Config,
  stops: Stops,
  { metrics, isWritten = false }: Opening = {},
): Promise<StartedDatabase> {
  const { DATABASE_URL: url } = config;
  const directory = resolve(config.DATA_DIR);
  const target: DatabaseTarget = url === undefined ? { directory: join(directory, 'database') } : { url };
  try {
    const orm = await openDatabase(target, { times: timesOf(config), metrics });
    stops.push(() => orm.close(true));
    await refuseTransactionMode(orm);
    if (isWritten) await refuseReadOnly(orm);
    return { orm, target, migrations: await migrate(orm, target) };
  } catch (error) {
    if (url !== undefined) throw ofServer(error as Error);
    throw hasSpace(directory) ? error : new ConfigError(NO_SPACE, { cause: error });
  }
}

/**
 * Opens the database. While its server cannot be reached or is read-only, requests get the answer that the service is not ready.
 */
export async function openPatiently(
  config: Config,
  { log, outages, metrics }: { readonly log: Logger; readonly outages: Outages; readonly metrics: Metrics },
  stops: Stops,
  signal: AbortSignal | undefined,
): Promise<StartedDatabase> {
  const own: Stops = [];
  stops.push(() => stopAll(own, log));
  let state: State['database'] = { state: 'down' };
  const open = async () => {
    const opened: Stops = [];
    const opening = startDatabase(config, opened, { metrics, isWritten: true });
    const database = await opening.catch(async (error: unknown) => {
      state = stateOf(error);
      await stopAll(opened, log);
      throw error;
    });
    // These stop callbacks are registered only now, so that a stop does not wait for a database that is still starting: a migration
    // may take long, and it ends with the process.
    own.push(...opened);
    return database;
  };
  return open().catch(async (error: unknown) => {
    // A ReadOnlyDatabase is an Unreachable, too.
    const passes = (thrown: unknown) => thrown instanceof Unreachable;
    if (!passes(error)) throw error;
    const endRefusing = await refuseRequests(config, { log, metrics, database: () => state });
    const waiting = { outages, times: timesOf(config), part: 'database', passes, signal } as const;
    return untilReached(open, error, waiting).finally(endRefusing);
  });
}

/** SQLSTATEs with which a server refuses a login, or has no such database. */
const REFUSED_LOGIN = /^(28...|3D000)$/;
/** SQLSTATE with which a server refuses a statement because the role lacks a right. */
const LACKS_RIGHT = '42501';
/** Errors of the driver without a code that match this come from a wrong value of DATABASE_URL, so waiting does not help. */
const SETTING = /SSL|password|certificate/i;

/** Converts a fault of the database server or of the login to one line for the operator. Returns any other error as it is. */
export function ofServer(error: Error): Error {
  if (error instanceof OperatorError) return error;
  const code = codeOf(error) ?? '';
  if (refusalOf(error) === 'read-only') return new ReadOnlyDatabase(READ_ONLY);
  const says = firstLine(error);
  if (code === LACKS_RIGHT) return new ConfigError(`DATABASE_URL: the role lacks a right; the server says: ${says}`);
  if (!outageOf(error)) return error;
  const isRefused = REFUSED_LOGIN.test(code) || (code === '' && SETTING.test(says));
  return isRefused
    ? new ConfigError(`DATABASE_URL: the value is not accepted; the server says: ${says}`)
    : new Unreachable(`DATABASE_URL: the server cannot be reached: ${says}`);
}

const READ_ONLY = 'DATABASE_URL: the database is read-only: it is a standby, or default_transaction_read_only is on';

/** The state of the database that answers show while the start waits for it. */
const stateOf = (error: unknown): State['database'] =>
  error instanceof ReadOnlyDatabase
    ? { state: 'read-only', detail: REFUSED['read-only'] }
    : { state: 'down', detail: 'the server cannot be reached' };

/** Refuses a read-only database. A service writes from its start on, so its first write would fail later, at any place. */
async function refuseReadOnly(orm: Database): Promise<void> {
  const text = "select current_setting('transaction_read_only') = 'on' as \"isReadOnly\"";
  const { rows } = (await poolOf(orm)?.query<{ isReadOnly: boolean }>({ text })) ?? { rows: [] };
  if (rows[0]?.isReadOnly) throw new ReadOnlyDatabase(READ_ONLY);
}

/**
 * Refuses a pooler in transaction mode. It would lend the server session of one connection to another, so settings, named
 * statements and locks would reach other connections. A pooler announces a pid that is not that of the server process.
 */
async function refuseTransactionMode(orm: Database): Promise<void> {
  const pool = poolOf(orm);
  if (pool === undefined) return;
  const first = await pool.connect();
  const leases = [first];
  try {
    const backend = await backendOf(first);
    if (backend === first.processID) return;
    const second = await pool.connect();
    leases.push(second);
    // In session mode, each connection has a server process to itself, which does not change. Anything else is transaction mode.
    if ((await backendOf(second)) === backend || (await backendOf(first)) !== backend)
      throw new ConfigError('DATABASE_URL: the value is not accepted: the pooler must be in session mode');
  } finally {
    for (const lease of leases) lease.release();
  }
}

const backendOf = async (lease: Lease): Promise<number | undefined> =>
  (await lease.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid;

const NO_SPACE = 'DATA_DIR: no space is left on its disk, and the embedded database cannot start';
/** Free disk space that the embedded database needs to start after a crash, in bytes. An estimate. */
const START_BYTES = 1024 * 1024;

/** Whether the disk has space for a start. It is checked because the embedded database does not say why it crashes at its start. */
function hasSpace(directory: string): boolean {
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize >= START_BYTES;
}

/** Connects to the replicas of DATABASE_READ_URLS. The service also starts while replicas are unreachable. */
export async function startReadReplicas(
  { config, sql, outages, metrics, clock, times, writes }: Deps,
  stops: Stops,
): Promise<Pick<Deps, 'reads'>> {
  if (config.DATABASE_READ_URLS === undefined) return {};
  const replicas = await openReadReplicas(config.DATABASE_READ_URLS, { primary: sql, outages, times, metrics });
  stops.push(() => replicas.close());
  // Reads from replicas have separate caches, so that no older value gets into the caches of the primary.
  return { reads: { pick: replicas.pick, caches: openCaches(() => clock.now().getTime(), writes) } };
}
