import { stopTestChain } from './chain/chain.js';
import { closeTestDatabase, dropTestDatabases } from './database.js';
import { ownRun, RUN } from './processes.js';
import { SEED_LINE, startDrawing } from './seed.js';

// The suites of `npm run test:faults`, `test:abuse` and `test:drills` load this file first. Their runner, `scripts/test-suite.ts`,
// has started the run (`startRun` in `processes.ts`), and ends it. If mocha was started without this runner, this process starts
// the run.
if (process.env[RUN] === undefined) ownRun();
// These suites draw their random values per process and not per test file, so one name stands for all files.
startDrawing('night');

/** Runs once, before the first test, in the process that collects the results. */
export function mochaGlobalSetup(): void {
  process.stdout.write(`${SEED_LINE}\n`);
}

/**
 * Runs once, after the last test. In parallel mode it runs in the process that collects the results. The other
 * processes close what they opened when they exit.
 */
export async function mochaGlobalTeardown(): Promise<void> {
  await stopTestChain();
  await closeTestDatabase();
  await dropTestDatabases();
}
