// Backfills a fresh database on the server in DATABASE_URL from a local chain with many trades. It uses the indexer itself,
// including all protection against reorgs, and prints the events per second. `npm run bench:backfill -- [events] [rounds]`.
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { pino } from 'pino';
import { ethersChain } from '../src/chain/chain.js';
import { RpcProvider } from '../src/chain/rpc.js';
import { readConfig } from '../src/config/config.js';
import { TIMES } from '../src/config/timeouts.js';
import { ensureCursor, type IndexDeps, readCursor } from '../src/index/cursor.js';
import { Indexer } from '../src/index/indexer.js';
import { openMetrics } from '../src/observe/metrics.js';
import { openOutages } from '../src/observe/outages.js';
import { openDatabase } from '../src/service/orm.js';
import { migrate } from '../src/store/database.js';
import { openSql, openWrite } from '../src/store/sql.js';
import { type FilledChain, filledChain } from './chainfill.js';

/** Wall-clock and CPU seconds of a backfill, and the number of rows of each table. CPU time is more reliable on a busy machine. */
type Measured = {
  readonly seconds: number;
  readonly cpu: { process: number; database: number };
  readonly rows: object;
};

/** CPU seconds of a process, from /proc. 0 if they cannot be read, as those of a remote server. */
function cpuOf(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    // User and system time, in clock ticks of 10 ms.
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return 0;
  }
}

async function measure(server: string, chain: FilledChain): Promise<Measured> {
  const name = `curvet_bench_${process.pid}`;
  const admin = new pg.Client({ connectionString: server });
  await admin.connect();
  await admin.query(`create database ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  const orm = await openDatabase({ url: url.href }, { times: TIMES });
  const provider = new RpcProvider([chain.rpcUrl], 84532, TIMES);
  try {
    await migrate(orm, { url: url.href });
    const reads = ethersChain(provider, { ...chain, chainId: 84532 });
    const log = pino({ level: 'warn' });
    const deps: IndexDeps = {
      config: readConfig({}),
      log,
      outages: openOutages(log, TIMES.now),
      clock: { now: () => new Date() },
      times: TIMES,
      write: openWrite(orm, { count: 0 }),
      sql: await openSql(orm),
      chain: reads,
      metrics: openMetrics(),
      live: { wake: () => {} },
    };
    await ensureCursor(deps, async () => chain.startBlock);
    const started = performance.now();
    const indexer = new Indexer(deps, { leadership: { lead: async () => true, close: async () => {} }, pollMs: 50 });
    const used = process.cpuUsage();
    while ((await readCursor(deps)).blockNumber < chain.head) await new Promise((resolve) => setTimeout(resolve, 20));
    const seconds = (performance.now() - started) / 1000;
    const { user, system } = process.cpuUsage(used);
    const { rows: backends } = await admin.query<{ pid: number }>('select pid from pg_stat_activity where datname = $1', [name]);
    const cpu = { process: (user + system) / 1e6, database: backends.reduce((sum, { pid }) => sum + cpuOf(pid), 0) };
    await indexer.stop();
    const [rows] = await deps.sql<Record<string, number>>(
      `select (select count(*) from transaction) as trades, (select count(*) from market) as markets,
         (select count(*) from ticket_lot) as lots, (select count(*) from ticket_holding) as holdings,
         (select count(*) from candle) as candles, (select count(*) from wallet_ledger) as ledgers,
         (select count(*) from chain_block) as hashes`,
    );
    return { seconds, cpu, rows: rows ?? {} };
  } finally {
    provider.destroy();
    await orm.close(true);
    await admin.query(`drop database ${name} with (force)`);
    await admin.end();
  }
}

const server = process.env.DATABASE_URL;
if (!server) {
  process.stderr.write('bench:backfill needs DATABASE_URL\n');
  process.exit(1);
}
const [events = 200_000, rounds = 3] = process.argv.slice(2).map(Number);
const chain = await filledChain(process.env.BENCH_DATA ?? 'bench/data', events);
try {
  for (let round = 0; round < rounds; round++) {
    const { seconds, cpu, rows } = await measure(server, chain);
    process.stdout.write(
      `${seconds.toFixed(2)} s, ${Math.round(events / seconds)} events/s; CPU ${cpu.process.toFixed(2)} s here, ` +
        `${cpu.database.toFixed(2)} s in the database; ${JSON.stringify(rows)}\n`,
    );
  }
} finally {
  await chain.stop();
}
