import { stopTestChain } from './chain/chain.js';
import { closeTestDatabases } from './database.js';

/**
 * Runs once, after the last test. In parallel mode it runs in the process that collects the results: what the others
 * opened ends with them.
 */
export async function mochaGlobalTeardown(): Promise<void> {
  await stopTestChain();
  await closeTestDatabases();
}
