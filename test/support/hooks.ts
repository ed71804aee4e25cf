import { stopTestChain } from './chain/chain.js';
import { closeTestDatabase, dropTestDatabases } from './database.js';
import { endMarkedProcesses, RUN, startRun } from './processes.js';
import { deleteSharedMarket } from './service/demo-copy.js';

// The suites of `npm run test:faults`, `test:abuse` and `test:drills` load this file first.
if (process.env[RUN] === undefined) startRun();

/**
 * Runs once, after the last test. In parallel mode it runs in the process that collects the results. The other
 * processes close what they opened when they exit.
 */
export async function mochaGlobalTeardown(): Promise<void> {
  await stopTestChain();
  await closeTestDatabase();
  await dropTestDatabases();
  deleteSharedMarket();
  endMarkedProcesses();
}
