// Runs a nightly suite: test-suite.js abuse|drills|faults [--seed N] [words of file names]. Mocha refuses unknown options, so it
// gets the seed in an environment variable.
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ownRun } from '../test/support/processes.js';

/**
 * Beginning of the first line of fault tests that may run beside the simulation: they assert no short times and need little CPU.
 */
const BESIDE = '// Runs beside the simulation: ';
const SIMULATION = 'simulation.faults.js';

const { values, positionals } = parseArgs({ options: { seed: { type: 'string' } }, allowPositionals: true });
const [suite = '', ...words] = positionals;
const root = join(import.meta.dirname, '..', '..');
const chosen = readdirSync(join(root, 'dist/test/nightly', suite))
  .filter((name) => /\.(abuse|drill|faults)\.js$/.test(name))
  .filter((name) => words.length === 0 || words.some((word) => name.includes(word)))
  .sort();
if (chosen.length === 0) throw new Error(`no file of ${suite} has one of the words ${words.join(', ')} in its name`);
/** Options of Mocha. The tests of abusive sockets mostly wait, so two of their files run at the same time. */
const parallel = suite === 'abuse' ? ['--parallel', '--jobs', '2'] : [];

ownRun();

/** Runs test files in one process. With `later`, their output is printed when they end. Resolves with the exit code. */
function run(names: readonly string[], later = false): Promise<number> {
  if (names.length === 0) return Promise.resolve(0);
  const files = names.map((name) => join(root, 'dist/test/nightly', suite, name));
  const program = join(root, 'node_modules/mocha/bin/mocha.js');
  const mocha = spawn(process.execPath, [program, '--exit', ...parallel, ...files], {
    cwd: root,
    stdio: ['ignore', later ? 'pipe' : 'inherit', 'inherit'],
    // These suites test the timeouts of the service itself, so no factor lengthens them.
    env: { ...process.env, TIMEOUT_FACTOR: '1', ...(values.seed === undefined ? {} : { TEST_SEED: values.seed }) },
  });
  const output: Buffer[] = [];
  mocha.stdout?.on('data', (chunk: Buffer) => output.push(chunk));
  return new Promise((resolve) => {
    mocha.once('close', (code) => {
      process.stdout.write(Buffer.concat(output));
      resolve(code ?? 1);
    });
  });
}

// Fault tests that mostly wait run at the same time as the simulation, in another process. All other files run after both.
const source = (name: string) => readFileSync(join(root, 'test/nightly', suite, name.replace(/\.js$/, '.ts')), 'utf8');
const beside = chosen.filter((name) => chosen.includes(SIMULATION) && source(name).startsWith(BESIDE));
const simulation: string[] = chosen.filter((name) => name === SIMULATION);
const alone = chosen.filter((name) => !beside.includes(name) && !simulation.includes(name));
const codes = await Promise.all([run(simulation), run(beside, true)]);
codes.push(await run(alone));
process.exit(Math.max(...codes));
