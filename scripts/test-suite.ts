// Runs the tests of abuse or the drills: test-suite.js abuse|drills [--seed N] [words of file names]. Mocha refuses unknown options, so
// the seed is passed in the environment.
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ownRun } from '../test/support/processes.js';

const { values, positionals } = parseArgs({ options: { seed: { type: 'string' } }, allowPositionals: true });
const [suite = '', ...words] = positionals;
const root = join(import.meta.dirname, '..', '..');
const directory = join(root, 'dist/test', suite);
const files = readdirSync(directory)
  .filter(
    (name) => /\.(abuse|drill)\.js$/.test(name) && (words.length === 0 || words.some((word) => name.includes(word))),
  )
  .map((name) => join(directory, name));
if (files.length === 0) throw new Error(`no file of ${suite} has one of the words ${words.join(', ')} in its name`);
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
