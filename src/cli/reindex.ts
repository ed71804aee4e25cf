import { resolve } from 'node:path';
import { type Logger, pino } from 'pino';
import { checkChain } from '../chain/market.js';
import { RpcProvider } from '../chain/rpc.js';
import { type Config, ConfigError, readConfig } from '../config.js';
import { ensureCursor, readCursor } from '../core/trading/commands/cursor.js';
import { type Corrections, dropRebuild, prepareRebuild, REBUILD_SCHEMA } from '../core/trading/commands/rebuild.js';
import { rebuild } from '../jobs/rebuild.js';
import { startChain } from '../service/chain.js';
import { startDatabase } from '../service/database.js';
import type { Stops } from '../service/stops.js';
import { startBlock } from '../service.js';
import { DirectoryRefused, lockDirectory } from '../store/data-directory.js';
import { type Database, openDatabase } from '../store/database.js';
import { leadership } from '../store/leader.js';
import { openSql } from '../store/sql.js';
import { commandDeps } from './command-deps.js';
import { finish } from './fail.js';

// npm run reindex: reads every fact from the chain anew. On a PostgreSQL server the service goes on meanwhile.

/** Any constant that only rebuilds share. */
const REBUILD_LOCK = 0x637574;

async function reindex(config: Config, interrupt: AbortSignal, stops: Stops): Promise<string> {
  const dataDir = resolve(config.DATA_DIR);
  const log = pino({ level: config.LOG_LEVEL }, process.stderr);
  const serviceRuns = !takeDirectory(config, dataDir, log, stops);
  const live = await startDatabase(config, stops);
  const only = leadership(live.target, REBUILD_LOCK);
  stops.push(() => only.close());
  if (!(await only.lead())) throw new ConfigError('DATABASE_URL: another rebuild is at work on this database');
  const chain = serviceRuns ? await chainOfService(config, live.orm, stops) : await startChain(config, stops);
  const liveDeps = await commandDeps(config, log, { orm: live.orm, chain });
  const start = startBlock(liveDeps);
  await ensureCursor(liveDeps, start);
  const [place] = await liveDeps.sql<{ schema: string }>('select quote_ident(current_schema()) as schema');
  await prepareRebuild(liveDeps);
  // The embedded database has one connection: it looks for tables in one place at a time.
  await live.orm.close(true);

  const orm = await openDatabase(live.target, REBUILD_SCHEMA);
  stops.push(() => orm.close(true));
  const deps = await commandDeps(config, log, { orm, chain });
  try {
    const progress = (block: number, head: number) => {
      if (interrupt.aborted) throw new Interrupted();
      process.stdout.write(`\rBlock ${block} of ${head} (${Math.floor((100 * block) / Math.max(1, head))} %)`);
    };
    const corrections = await rebuild(deps, { schema: place?.schema ?? 'public', start, progress });
    return `\nThe index stands at block ${(await readCursor(deps)).blockNumber}. ${summaryOf(corrections)}\n`;
  } finally {
    await dropRebuild(deps);
  }
}

class Interrupted extends Error {}

/** False if a service runs on the directory, which is as well where only its chain is in there. */
function takeDirectory(config: Config, dataDir: string, log: Logger, stops: Stops): boolean {
  if (!config.chainEmbedded && config.DATABASE_URL !== undefined) return true;
  try {
    stops.push(lockDirectory(dataDir, log));
    return true;
  } catch (error) {
    if (error instanceof DirectoryRefused && config.DATABASE_URL !== undefined) return false;
    throw error;
  }
}

/** The embedded chain that a running service has started, at the port where it begins to look for a free one. */
async function chainOfService(config: Config, orm: Database, stops: Stops) {
  const rpcUrl = `http://127.0.0.1:${config.CHAIN_PORT}`;
  const sql = await openSql(orm);
  const [cursor] = await sql<{ contract: string }>('select contract from indexer_cursor');
  const provider = new RpcProvider([rpcUrl], config.CHAIN_ID);
  stops.push(() => provider.destroy());
  const contract = cursor?.contract ?? '';
  await checkChain(provider, config.CHAIN_ID, contract).catch((error: Error) => {
    throw new ConfigError(`CHAIN_PORT: the chain of the service is not at ${config.CHAIN_PORT}`, { cause: error });
  });
  return { rpcUrl, contract, provider };
}

function summaryOf(corrections: Corrections): string {
  const wrong = Object.entries(corrections)
    // Hashes are kept as ranges happened to be read.
    .filter(([table, { removed, added }]) => table !== 'chain_block' && removed + added > 0)
    .map(([table, { removed, added }]) => `${table}: ${removed} rows removed, ${added} added`);
  return wrong.length === 0 ? 'Nothing was wrong.' : `Put right: ${wrong.join('; ')}.`;
}

function interruption(): AbortSignal {
  const interrupt = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => interrupt.abort());
  return interrupt.signal;
}

const interrupt = interruption();
await finish(async (stops) => {
  try {
    process.stdout.write(await reindex(readConfig(process.env), interrupt, stops));
    return 0;
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    process.stdout.write('\nInterrupted: nothing was changed.\n');
    return 1;
  }
});
