// Usage: npm run cluster -- [number of replicas] [--port N]
//
// Starts replicas of the service behind a proxy, on a PostgreSQL server (DATABASE_URL, default: the local one), on Redis
// (REDIS_URL, default: the local one) and on one chain (RPC_URL, default: an embedded chain). Ctrl-C stops all of them.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { startDevChain } from '../src/chain/embedded-chain.js';
import { TIMES } from '../src/config/timeouts.js';
import { createProxy, type Upstream } from './cluster/proxy.js';

const LOCAL_DATABASE = 'postgresql://postgres@127.0.0.1:5432/curvet_cluster';
const LOCAL_REDIS = 'redis://127.0.0.1:6379';
const CHAIN_ID = 84532;
const READY = /Curvet is ready at (\S+)/;
const MAX_REPLICAS = 16;

type Stop = () => Promise<unknown>;

const { values, positionals } = parseArgs({ options: { port: { type: 'string' } }, allowPositionals: true });
const count = Number(positionals[0] ?? 3);
const port = Number(values.port ?? process.env.PORT ?? 4000);
/** Functions that stop the chain and the proxy. */
const stops: Stop[] = [];
const replicaStops: Stop[] = [];
let stopping: Promise<void> | undefined;

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void stop(0));
try {
  if (!Number.isInteger(count) || count < 1 || count > MAX_REPLICAS) {
    throw new Error(`the number of replicas must be an integer from 1 to ${MAX_REPLICAS}`);
  }
  await start();
} catch (error) {
  process.stderr.write(`cluster: ${(error as Error).message}\n`);
  await stop(1);
}

async function start(): Promise<void> {
  const database = process.env.DATABASE_URL || LOCAL_DATABASE;
  await createDatabase(database);
  const shared: Record<string, string> = {
    ...(await chainSettings()),
    DATABASE_URL: database,
    REDIS_URL: process.env.REDIS_URL || LOCAL_REDIS,
    HOST: '127.0.0.1',
    PORT: '0',
    TRUST_PROXY: '1',
    PUBLIC_URL: `http://127.0.0.1:${port}`,
  };
  const replicas: Upstream[] = [];
  const proxy = createProxy(() => replicas);
  proxy.listen(port, '127.0.0.1');
  await once(proxy, 'listening');
  stops.push(async () => {
    proxy.closeAllConnections();
    proxy.close();
  });
  // The first replica creates the tables, so it starts alone. The others would only wait for it.
  replicas.push(await startReplica(1, shared));
  replicas.push(...(await Promise.all(Array.from({ length: count - 1 }, (_, i) => startReplica(i + 2, shared)))));
  for (const { url } of replicas) process.stdout.write(`replica at ${url}\n`);
  process.stdout.write(`The cluster is ready at http://127.0.0.1:${port} (${count} replicas, chain at ${shared.RPC_URL})\n`);
}

/** The settings of the chain: that of RPC_URL, or an embedded one, whose state stays on the disk like the cluster's database. */
async function chainSettings(): Promise<Record<string, string>> {
  // Without a post host, claims fail, and everything else works. Nothing answers at this default address.
  const SOCIAL_TEXT_PROXY = process.env.SOCIAL_TEXT_PROXY || 'http://127.0.0.1:9/{url}';
  const { RPC_URL, CONTRACT_ADDRESS = '' } = process.env;
  if (RPC_URL) return { SOCIAL_TEXT_PROXY, RPC_URL, CONTRACT_ADDRESS };
  const directory = resolve(process.env.DATA_DIR || 'data', 'cluster-chain');
  const chain = await startDevChain({ directory, chainId: CHAIN_ID, times: TIMES });
  stops.push(chain.stop);
  const { rpcUrl, contract } = chain;
  return {
    SOCIAL_TEXT_PROXY,
    RPC_URL: rpcUrl,
    CONTRACT_ADDRESS: contract,
    CHAIN_ID: String(CHAIN_ID),
    CONFIRMATIONS: '0',
  };
}

/** Creates the database if the server does not have it. */
async function createDatabase(url: string): Promise<void> {
  const server = new URL(url);
  const name = server.pathname.slice(1);
  server.pathname = '/postgres';
  const client = new pg.Client({ connectionString: server.href });
  await client.connect().catch((error: Error) => {
    throw new Error(`DATABASE_URL: the server does not answer: ${error.message}`);
  });
  try {
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name]);
    if (rowCount === 0) await client.query(`create database ${pg.escapeIdentifier(name)}`);
  } finally {
    await client.end();
  }
}

/** Starts a replica with the settings of this process, and waits until it is ready. */
async function startReplica(number: number, settings: Record<string, string>): Promise<Upstream> {
  const root = join(import.meta.dirname, '..', '..');
  const child = spawn(process.execPath, [join(root, 'dist/src/main.js')], {
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
    // The replicas are in other process groups, so that Ctrl-C reaches only this process. It stops the replicas before their chain.
    detached: true,
  });
  replicaStops.push(() => end(child));
  let output = '';
  const url = await new Promise<string>((found, failed) => {
    child.once('error', failed);
    child.once('exit', (code) => failed(new Error(`replica ${number} ended with ${code}`)));
    child.stdout?.on('data', (chunk: Buffer) => {
      output = `${output}${chunk}`.slice(-2000);
      const ready = READY.exec(output)?.[1];
      if (ready !== undefined) found(ready);
    });
  });
  child.once('exit', (code) => {
    if (stopping === undefined) process.stderr.write(`cluster: replica ${number} ended with ${code}\n`);
  });
  return {
    url,
    get isAlive() {
      return child.exitCode === null && child.signalCode === null;
    },
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}

/** Stops what was started: the replicas at the same time, and then the proxy and the chain. */
function stop(code: number): Promise<void> {
  stopping ??= (async () => {
    await Promise.all(replicaStops.map((one) => one()));
    for (const one of stops.reverse()) await one();
    process.exit(code);
  })();
  return stopping;
}
