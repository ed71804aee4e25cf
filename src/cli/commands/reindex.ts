import { resolve } from 'node:path';
import type { Logger } from 'pino';
import { checkChain } from '../../chain/chain.js';
import { RpcProvider } from '../../chain/rpc.js';
import { type Config, ConfigError, readConfig } from '../../config/config.js';
import { timesOf } from '../../config/timeouts.js';
import { ensureCursor, readCursor } from '../../index/cursor.js';
import {
  type Corrections,
  dropRebuild,
  prepareRebuild,
  REBUILD_SCHEMA,
  type RebuildProgress,
  rebuild,
} from '../../index/rebuild.js';
import { startChain } from '../../service/chain.js';
import { startBlock } from '../../service/connect-chain.js';
import { startDatabase } from '../../service/database.js';
import { openDatabase } from '../../service/orm.js';
import type { Stops } from '../../service/stops.js';
import { DirectoryRefused, lockDirectory } from '../../store/data-directory.js';
import type { Database } from '../../store/database.js';
import { leadership } from '../../store/leader.js';
import { openSql } from '../../store/sql.js';
import { withStops } from '../fail.js';
import { logOf } from '../log.js';
import { answerAtOnce, type Program } from '../program.js';
import { type CommandParts, commandDeps } from './run-command.js';

// npm run reindex: rebuilds the index from the chain and corrects the stored index. On a PostgreSQL server the service can
// keep running meanwhile.

const USAGE = 'usage: npm run reindex\n       rebuilds the index from the chain\n';

/** Key of the advisory lock, which allows one rebuild at a time. */
const REBUILD_LOCK = 0x637574;

async function reindex({ config, log, stops }: CommandParts, progress: RebuildProgress): Promise<string> {
  const serviceRuns = !tryLock(config, resolve(config.DATA_DIR), log, stops);
  const times = timesOf(config);
  const live = await startDatabase(config, stops);
  const lock = leadership(live.target, REBUILD_LOCK, times);
  stops.push(() => lock.close());
  if (!(await lock.lead())) throw new ConfigError('DATABASE_URL: another rebuild of this database is running');
  const chain = serviceRuns ? await chainOfService(config, live.orm, stops) : await startChain(config, stops);
  const liveDeps = await commandDeps(config, log, { orm: live.orm, connected: chain });
  const start = startBlock(liveDeps);
  await ensureCursor(liveDeps, start);
  const [current] = await liveDeps.sql<{ schema: string }>('select quote_ident(current_schema()) as schema');
  await prepareRebuild(liveDeps);
  // The embedded database has one connection, so it is closed, and opened again with the schema of the rebuild.
  await live.orm.close(true);

  const orm = await openDatabase(live.target, { schema: REBUILD_SCHEMA, times });
  stops.push(() => orm.close(true));
  const deps = await commandDeps(config, log, { orm, connected: chain });
  try {
    const corrections = await rebuild(deps, { schema: current?.schema ?? 'public', start, progress });
    return `\nThe index is at block ${(await readCursor(deps)).blockNumber}. ${summaryOf(corrections)}\n`;
  } finally {
    await dropRebuild(deps);
  }
}

class Interrupted extends Error {}

/**
 * Locks the data directory, if the configuration uses it. Returns false if a running service holds the directory and it contains
 * only the embedded chain. If it contains the database, too, this throws.
 */
function tryLock(config: Config, dataDir: string, log: Logger, stops: Stops): boolean {
  if (!config.chainEmbedded && config.DATABASE_URL !== undefined) return true;
  try {
    stops.push(lockDirectory(dataDir, log));
    return true;
  } catch (error) {
    if (error instanceof DirectoryRefused && config.DATABASE_URL !== undefined) return false;
    throw error;
  }
}

/**
 * Connects to the embedded chain of a running service. That chain must listen on CHAIN_PORT itself: if it has moved to a later
 * free port, this fails.
 */
async function chainOfService(config: Config, orm: Database, stops: Stops) {
  const rpcUrl = `http://127.0.0.1:${config.CHAIN_PORT}`;
  const sql = await openSql(orm);
  const [cursor] = await sql<{ contract: string }>('select contract from indexer_cursor');
  const provider = new RpcProvider([rpcUrl], config.CHAIN_ID, timesOf(config));
  stops.push(() => provider.destroy());
  const contract = cursor?.contract ?? '';
  await checkChain(provider, config.CHAIN_ID, contract).catch((error: Error) => {
    throw new ConfigError(`CHAIN_PORT: the chain of the service is not at ${config.CHAIN_PORT}`, { cause: error });
  });
  return { rpcUrl, contract, provider };
}

function summaryOf(corrections: Corrections): string {
  const corrected = Object.entries(corrections)
    // Skips the block hashes: which of them are stored depends on the ranges that were read, so differences are normal.
    .filter(([table, { removed, added }]) => table !== 'chain_block' && removed + added > 0)
    .map(([table, { removed, added }]) => `${table}: ${removed} rows removed, ${added} added`);
  return corrected.length === 0 ? 'No corrections.' : `Corrections: ${corrected.join('; ')}.`;
}

export const reindexUntil =
  (interrupt: AbortSignal): Program =>
  async (args, env, streams) =>
    answerAtOnce(args, [], USAGE, streams) ??
    withStops(streams.stderr, async (stops) => {
      try {
        const config = readConfig(env);
        const log = await logOf(config, env, streams.stderr);
        const progress = (block: number, head: number) => {
          if (interrupt.aborted) throw new Interrupted();
          const percent = Math.floor((100 * block) / Math.max(1, head));
          streams.stdout.write(`\rBlock ${block} of ${head} (${percent} %)`);
        };
        streams.stdout.write(await reindex({ config, log, stops }, progress));
        return 0;
      } catch (error) {
        if (!(error instanceof Interrupted)) throw error;
        streams.stdout.write('\nInterrupted: nothing was changed.\n');
        return 1;
      }
    });
