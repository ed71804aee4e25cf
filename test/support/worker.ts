// The worker processes of a test run load this file first.
import { join, relative } from 'node:path';
import { closeTestDatabase } from './database.js';
import { endRun, INTERRUPTIONS } from './processes.js';
import { startDrawing } from './seed.js';

// If a worker ends early, because the run was interrupted or has crashed, it ends all processes of the run.
for (const signal of INTERRUPTIONS) process.once(signal, () => process.exit(1));
process.once('exit', (code) => {
  if (code !== 0) endRun();
});

/** Makes a rejection that nobody handles fail the test. Mocha's command line does this, but its worker processes do not. */
function failOnUnhandled(): void {
  if (!process.listeners('unhandledRejection').includes(rethrow)) process.on('unhandledRejection', rethrow);
}
function rethrow(reason: unknown): never {
  throw reason;
}

/** The directory of the compiled tests. */
const directory = join(import.meta.dirname, '..');

/**
 * These hooks run once per test file, because mocha removes all listeners after each file, and each file has a separate database.
 */
export const mochaHooks = {
  beforeAll(this: Mocha.Context) {
    failOnUnhandled();
    // The root suite, to which these hooks belong, has no file. Its first suite has the path of the test file.
    startDrawing(relative(directory, this.test?.parent?.suites[0]?.file ?? ''));
  },
  async afterAll() {
    startDrawing('');
    await closeTestDatabase();
  },
};
