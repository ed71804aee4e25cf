import { join } from 'node:path';
import { type FilledChain, filledChain } from '../chainfill.js';
import { CHAIN_ID } from '../dataset/fill.js';
import { root } from './product.js';
import { node, type Server, startServer } from './servers.js';

/** The chain with many trades (chainfill.ts). Its file is in the directory BENCH_DATA, or in bench/data. */
export function startFilledChain(events: number): Promise<FilledChain> {
  return filledChain(process.env.BENCH_DATA ?? join(root, 'bench/data'), events);
}

/** Starts the service on an empty database, so that it backfills the chain of `startFilledChain`. */
export function startReading(database: string, chain: FilledChain): Promise<Server> {
  return startServer([node, join(root, 'dist/src/main.js')], {
    env: {
      PORT: '0',
      DATABASE_URL: database,
      RPC_URL: chain.rpcUrl,
      CONTRACT_ADDRESS: chain.contract,
      CHAIN_ID: String(CHAIN_ID),
      START_BLOCK: String(chain.startBlock),
      CONFIRMATIONS: '0',
      // Nothing listens at this address, because no benchmark reads posts.
      SOCIAL_TEXT_PROXY: 'http://127.0.0.1:9/{url}',
      RATE_LIMITS: 'off',
      LOG_LEVEL: 'error',
      SEASON_DAYS: '0',
    },
  });
}
