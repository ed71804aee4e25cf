import { statfsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Config, ConfigError } from '../config.js';
import type { Deps } from '../deps.js';
import { firstLine } from '../outage.js';
import { type Database, type DatabaseTarget, migrate, openDatabase, poolOf } from '../store/database.js';
import { ReadReplicas } from '../store/replicas/read-replicas.js';
import { ReadRouting } from '../store/replicas/read-routing.js';
import { timesOf } from '../times.js';
import type { Stops } from './stops.js';

export type StartedDatabase = { readonly orm: Database; readonly target: DatabaseTarget };

export async function startDatabase(config: Config, stops: Stops): Promise<StartedDatabase> {
  const { DATABASE_URL: url, DATABASE_POOLER_URL: poolerUrl } = config;
  const directory = resolve(config.DATA_DIR);
  const target: DatabaseTarget = url === undefined ? { directory: join(directory, 'database') } : { url, poolerUrl };
  try {
    const orm = await openDatabase(target, { times: timesOf(config) }).catch((error: Error) => {
      if (url === undefined) throw error;
      throw new ConfigError(`DATABASE_URL: the value is not accepted; the server says: ${firstLine(error)}`);
    });
    stops.push(() => orm.close(true));
    await checkUrls(orm);
    await migrate(orm, target);
    return { orm, target };
  } catch (error) {
    throw url !== undefined || hasSpace(directory) ? error : new ConfigError(NO_SPACE, { cause: error });
  }
}

/** Refuses a pooler in transaction mode as DATABASE_URL, and one whose sessions lack the timeouts of requests. */
async function checkUrls(orm: Database): Promise<void> {
  const pool = poolOf(orm);
  if (pool === undefined) return;
  const { findUrlFault } = await import('../store/connections/pooler-check.js');
  const fault = await findUrlFault(pool);
  if (fault !== undefined) throw new ConfigError(fault);
}

const NO_SPACE = 'DATA_DIR: no space is left on its disk, and the embedded database cannot start';
/** Free disk space that the embedded database needs to start after a crash, in bytes. An estimate. */
const START_BYTES = 1024 * 1024;

/** The embedded database does not say why it crashes at its start. */
function hasSpace(directory: string): boolean {
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize >= START_BYTES;
}

/** Connects to the replicas of DATABASE_READ_URLS. The service also starts while some of them are unreachable. */
export async function startReadReplicas(
  { config, sql, log, live, clock, times, writes }: Deps,
  stops: Stops,
): Promise<Pick<Deps, 'reads'>> {
  if (config.DATABASE_READ_URLS === undefined) return {};
  const replicas = new ReadReplicas(config.DATABASE_READ_URLS, { primary: sql, log, times });
  stops.push(() => replicas.close());
  await replicas.start();
  return { reads: new ReadRouting(replicas, live, { now: () => clock.now().getTime(), writes }) };
}
