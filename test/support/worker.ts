// The worker processes of a test run load this file first.
import { join, relative } from 'node:path';
import { closeTestDatabase } from './database.js';
import { endRun, INTERRUPTIONS } from './processes.js';
import { startDrawing } from './seed.js';

// A worker that ends early, because the run was interrupted or has crashed, ends all processes of the run.
for (const signal of INTERRUPTIONS) process.once(signal, () => process.exit(1));
process.once('exit', (code) => {
  if (code !== 0) endRun();
});

/** A rejection that nobody handles fails the test. Mocha's command line does this, its worker processes do not. */
function failOnUnhandled(): void {
  if (!process.listeners('unhandledRejection').includes(rethrow)) process.on('unhandledRejection', rethrow);
}
function rethrow(reason: unknown): never {
  throw reason;
}

/** The directory of the tests. */
const directory = join(import.meta.dirname, '..');

/** They run once per file. Mocha removes all listeners after each file. Each file gets a database of its own. */
export const mochaHooks = {
  beforeAll(this: Mocha.Context) {
    failOnUnhandled();
    startDrawing(relative(directory, this.test?.parent?.suites[0]?.file ?? ''));
  },
  async afterAll() {
    startDrawing('');
    await closeTestDatabase();
  },
};
