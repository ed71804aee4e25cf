// Usage: npm run test:abuse -- [--seed N] [files], and test:drills. Mocha refuses unknown options, so the seed is passed in the
// environment.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ownRun } from '../test/support/processes.js';

const { values, positionals } = parseArgs({ options: { seed: { type: 'string' } }, allowPositionals: true });
const [suite = 'abuse', ...chosen] = positionals;
const root = join(import.meta.dirname, '..', '..');
const files = chosen.length > 0 ? chosen : [`dist/test/${suite}/*.${suite.replace(/s$/, '')}.js`];
/** The tests of abusive sockets mostly wait, so two files run at the same time. */
const parallel = suite === 'abuse' ? ['--parallel', '--jobs', '2'] : [];

ownRun();
const mocha = spawn(
  process.execPath,
  [join(root, 'node_modules/mocha/bin/mocha.js'), '--exit', ...parallel, ...files],
  {
    cwd: root,
    stdio: 'inherit',
    // These suites test the timeouts of the product, so they have those of a fast machine.
    env: { ...process.env, TIMEOUT_FACTOR: '1', ...(values.seed === undefined ? {} : { TEST_SEED: values.seed }) },
  },
);
mocha.once('exit', (code) => process.exit(code ?? 1));
