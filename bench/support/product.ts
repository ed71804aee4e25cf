import { join } from 'node:path';
import pg from 'pg';
import { CHAIN_ID, CONTRACT } from '../dataset/fill.js';
import { startFakeChain } from './fakechain.js';
import type { Request } from './load.js';
import { node, pin, type Server, startServer } from './servers.js';

/** Root of the repository, seen from dist/bench/support. */
export const root = join(import.meta.dirname, '..', '..', '..');

/** Starts the service on a benchmark database and a chain that stands still at its last block. */
export async function startProduct(database: string): Promise<Server> {
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  const { rows } = await client.query('select block_number from indexer_cursor');
  await client.end();
  const chain = await startFakeChain(Number(rows[0]?.block_number));
  try {
    const server = await startServer([node, join(root, 'dist/src/main.js')], {
      env: {
        PORT: '0',
        DATABASE_URL: database,
        RPC_URL: chain.url,
        CONTRACT_ADDRESS: CONTRACT,
        CHAIN_ID: String(CHAIN_ID),
        // Nothing listens at this address, because no benchmark reads posts.
        SOCIAL_TEXT_PROXY: 'http://127.0.0.1:9/{url}',
        RATE_LIMITS: 'off',
        LOG_LEVEL: 'error',
      },
    });
    return {
      ...server,
      async stop() {
        await server.stop();
        chain.stop();
      },
    };
  } catch (error) {
    chain.stop();
    throw error;
  }
}

/**
 * Starts a peer of bench/peers with its arguments, mostly the URL of the database. Files ending in .mjs use the packages of
 * bench/. The other files are compiled and use the packages of the service.
 */
export function startPeer(name: string, ...args: string[]): Promise<Server> {
  const file = name.endsWith('.mjs') ? join('bench/peers', name) : join('dist/bench/peers', `${name}.js`);
  return startServer([node, join(root, file), ...args]);
}

/** Starts a bare server that always writes the service's answer to this request. No cache can be faster, so this is the limit. */
export function startConstant(service: Server, { path, body }: Request): Promise<Server> {
  return startPeer('constant.mjs', service.url, path, ...(body === undefined ? [] : [body]));
}

/** Pins the processes of the database to the core of the load generator, if permitted. */
export async function pinDatabase(database: string): Promise<void> {
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  const { rows } = await client.query('select pid from pg_stat_activity where datname = current_database()');
  await client.end();
  for (const { pid } of rows) pin(pid, 1);
}
