import { stopTestChain } from './chain/chain.js';
import { closeTestDatabases } from './database.js';
import { deleteSharedMarket } from './service/demo-copy.js';

/**
 * Runs once, after the last test. In parallel mode it runs in the process that collects the results. The other
 * processes close what they opened when they exit.
 */
export async function mochaGlobalTeardown(): Promise<void> {
  await stopTestChain();
  await closeTestDatabases();
  deleteSharedMarket();
}
