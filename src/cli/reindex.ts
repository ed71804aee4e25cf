import { resolve } from 'node:path';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { type Logger, pino } from 'pino';
import { checkChain, ethersMarket } from '../chain/market.js';
import { RpcProvider } from '../chain/rpc.js';
import { type Config, ConfigError, readConfig } from '../config.js';
import { ensureCursor, readCursor } from '../core/trading/commands/cursor.js';
import { type Corrections, dropRebuild, prepareRebuild, REBUILD_SCHEMA } from '../core/trading/commands/rebuild.js';
import { rebuild } from '../jobs/rebuild.js';
import { processLive } from '../live/process.js';
import { type Stops, startChain, startDatabase, systemClock } from '../service.js';
import { DirectoryRefused, lockDirectory } from '../store/data-directory.js';
import { openDatabase } from '../store/database.js';
import { leadership } from '../store/leader.js';
import { openSql, type Sql } from '../store/sql.js';
import { fail } from './fail.js';

// npm run reindex: reads every fact from the chain anew. On a PostgreSQL server the service goes on meanwhile.

/** Any constant that only rebuilds share. */
const REBUILD_LOCK = 0x637574;

async function reindex(config: Config, interrupt: AbortSignal, stops: Stops): Promise<string> {
  const dataDir = resolve(config.DATA_DIR);
  const log = pino({ level: config.LOG_LEVEL }, process.stderr);
  const serviceRuns = !takeDirectory(config, dataDir, log, stops);
  const live = await startDatabase(config, dataDir, stops);
  const only = leadership(live.target, REBUILD_LOCK);
  stops.push(() => only.close());
  if (!(await only.lead())) throw new ConfigError('DATABASE_URL: another rebuild is at work on this database');
  const chain = serviceRuns ? await chainOfService(config, live.sql, stops) : await startChain(config, dataDir, stops);
  const market = ethersMarket(chain.provider, { chainId: config.CHAIN_ID, ...chain });
  const parts = { config, log, clock: systemClock, market, live: processLive() };
  const start = async () => config.START_BLOCK ?? (config.chainEmbedded ? 1 : market.deployBlock());
  await ensureCursor({ ...parts, em: live.orm.em as SqlEntityManager, sql: live.sql }, start);
  const [place] = await live.sql<{ schema: string }>('select quote_ident(current_schema()) as schema');
  await prepareRebuild(live.sql);
  // The embedded database has one connection: it looks for tables in one place at a time.
  await live.orm.close(true);

  const orm = await openDatabase(live.target, REBUILD_SCHEMA);
  stops.push(() => orm.close(true));
  const sql = await openSql(orm);
  try {
    const deps = { ...parts, em: orm.em as SqlEntityManager, sql };
    const progress = (block: number, head: number) => {
      if (interrupt.aborted) throw new Interrupted();
      process.stdout.write(`\rBlock ${block} of ${head} (${Math.floor((100 * block) / Math.max(1, head))} %)`);
    };
    const corrections = await rebuild(deps, { schema: place?.schema ?? 'public', start, progress });
    return `\nThe index stands at block ${(await readCursor(deps)).blockNumber}. ${summaryOf(corrections)}\n`;
  } finally {
    await dropRebuild(sql);
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
async function chainOfService(config: Config, sql: Sql, stops: Stops) {
  const rpcUrl = `http://127.0.0.1:${config.CHAIN_PORT}`;
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

let config: Config;
try {
  config = readConfig(process.env);
} catch (error) {
  fail(error);
}
const interrupt = new AbortController();
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => interrupt.abort());
const stops: Stops = [];
let failure: unknown;
try {
  process.stdout.write(await reindex(config, interrupt.signal, stops));
} catch (error) {
  failure = error;
}
for (const stop of stops.reverse()) await stop();
if (failure instanceof Interrupted) process.stdout.write('\nInterrupted: nothing was changed.\n');
else if (failure !== undefined) fail(failure);
process.exit(failure === undefined ? 0 : 1);
