import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ownRun } from '../support/processes.js';

// Usage: npm run test:faults -- [--seed N] [words of file names]. Mocha refuses unknown options, so the seed is passed
// in the environment. Files that mostly wait run beside the simulation, in a process of their own. All others run alone,
// one after another.

/** First line of files that assert no short times and load the processors little. */
const BESIDE = '// Runs beside the simulation: ';
const SIMULATION = 'simulation.faults.js';

const { values, positionals } = parseArgs({ options: { seed: { type: 'string' } }, allowPositionals: true });
const root = join(import.meta.dirname, '..', '..', '..');
const all = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.faults.js'));
const chosen = all.filter((name) => positionals.length === 0 || positionals.some((word) => name.includes(word))).sort();
if (chosen.length === 0) throw new Error(`no fault test has one of the words ${positionals.join(', ')} in its name`);

ownRun();

/** Runs files one after another in one process. `later`: its output is printed at its end. Resolves with the exit code. */
function run(names: readonly string[], later = false): Promise<number> {
  if (names.length === 0) return Promise.resolve(0);
  const files = names.map((name) => join(import.meta.dirname, name));
  const mocha = spawn(process.execPath, [join(root, 'node_modules/mocha/bin/mocha.js'), '--exit', ...files], {
    cwd: root,
    stdio: ['ignore', later ? 'pipe' : 'inherit', 'inherit'],
    // The tests of faults count on the timeouts of a fast machine.
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

const source = (name: string) => readFileSync(join(root, 'test/faults', name.replace(/\.js$/, '.ts')), 'utf8');
const beside = chosen.filter((name) => chosen.includes(SIMULATION) && source(name).startsWith(BESIDE));
const simulation: string[] = chosen.filter((name) => name === SIMULATION);
const alone = chosen.filter((name) => !beside.includes(name) && !simulation.includes(name));
const codes = await Promise.all([run(simulation), run(beside, true)]);
codes.push(await run(alone));
process.exit(Math.max(...codes));
