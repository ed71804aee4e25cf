// `npm run test:watch`: runs tests after each change of a source file. With names, runs the test files that `npm test` would
// run for them. Without names, runs the tests of the changed file: the file itself if it is a test, the test with the same
// name, and the tests that import the file.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, watch } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const root = join(import.meta.dirname, '..', '..');
const names = process.argv.slice(2);
/** Delay before tests run, because editors write a file in several steps, and each step is reported as a change. */
const DEBOUNCE_MS = 150;

const changed = new Set<string>();
let timer: NodeJS.Timeout | undefined;
let running: ChildProcess | undefined;

for (const folder of ['src', 'demo', 'test', 'schema/migrations']) {
  watch(join(root, folder), { recursive: true }, (_, path) => {
    if (path === null || !/\.(ts|md)$/.test(path)) return;
    changed.add(join(folder, path));
    clearTimeout(timer);
    timer = setTimeout(rerun, DEBOUNCE_MS);
  });
}
if (names.length > 0) start(names);
else process.stdout.write('waiting for a change\n');

function rerun(): void {
  const paths = [...changed];
  changed.clear();
  const tests = names.length > 0 ? names : [...new Set(paths.flatMap(testsOf))];
  if (tests.length > 0) start(tests);
  else
    process.stdout.write(`no test has the name of ${paths.join(', ')} or imports it; pass test names to run them at each change\n`);
}

/** Interrupts the running tests, if any, and starts the given ones. */
function start(tests: readonly string[]): void {
  const run = () => {
    running = spawn(join(root, 'bin', 'test'), [...tests], { stdio: 'inherit' });
  };
  if (running !== undefined && running.exitCode === null && running.signalCode === null) {
    running.once('exit', run);
    running.kill('SIGINT');
  } else {
    run();
  }
}

function testsOf(path: string): string[] {
  if (path.endsWith('.test.ts')) return existsSync(join(root, path)) ? [path] : [];
  // Below `test/`, the first folder says when a test runs. Below that, the folders are those of `src/`.
  const namesake = path.replace(/^src\//, '').replace(/\.ts$/, '.test.ts');
  return readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .map((name) => join('test', name))
    .filter(
      (test) => test.endsWith('.test.ts') && (test.replace(/^test\/[\w-]+\//, '') === namesake || importsOf(test).includes(path)),
    );
}

function importsOf(path: string): string[] {
  const specifiers = readFileSync(join(root, path), 'utf8').matchAll(/from '(\.[^']+)\.js'/g);
  return [...specifiers].map(([, specifier]) => normalize(join(dirname(path), `${specifier}.ts`)));
}
