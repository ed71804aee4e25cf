import { join } from 'node:path';
import { freePort } from '../../src/chain/embedded-chain.js';
import type { FilledChain } from '../chainfill.js';
import { root } from './product.js';
import { node, type Server, startServer } from './servers.js';

/** Starts Ponder on an empty database and a chain. Resolves when it begins to read. */
export async function startPonder(database: string, chain: FilledChain): Promise<Server> {
  const ponder = join(root, 'bench/node_modules/ponder/dist/esm/bin/ponder.js');
  const port = await freePort('127.0.0.1');
  return startServer([node, ponder, 'start', '--schema', 'bench', '--port', String(port), '--log-format', 'json'], {
    cwd: join(root, 'bench/peers/ponder'),
    // `startServer` takes the group as the URL, which it needs. Ponder prints no URL, and nobody calls it.
    ready: /Started (backfill indexing)/,
    env: {
      DATABASE_URL: database,
      RPC_URL: chain.rpcUrl,
      CONTRACT: chain.contract,
      START_BLOCK: String(chain.startBlock),
      PONDER_TELEMETRY_DISABLED: '1',
    },
  });
}
