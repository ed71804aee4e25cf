// Runs the tests. `npm test` runs all files, in parallel except for those that are marked. `npm test -- NAME ...` runs the
// files whose path contains a name, one after another. Options: --jobs N, --grep TEXT, --without PATH.
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import Mocha from 'mocha';
import { stopTestChain } from '../test/support/chain/chain.js';
import { closeTestDatabases } from '../test/support/database.js';
import { deleteSharedMarket } from '../test/support/service/demo-copy.js';

const root = join(import.meta.dirname, '..', '..');
/** First line of test files that measure load. They run one after another. */
const ALONE = '// Runs alone: ';
/** First line of test files that measure time. At most one of them runs per processor. */
const WITH_FEW = '// Runs with few others: ';

const { values, positionals: names } = parseArgs({
  allowPositionals: true,
  options: {
    // More jobs than processors, because many tests wait for a timeout or for a process.
    jobs: { type: 'string', default: String(availableParallelism() + 2) },
    grep: { type: 'string' },
    // Leaves out files whose path contains this.
    without: { type: 'string' },
  },
});

const { timeout } = JSON.parse(readFileSync(join(root, '.mocharc.json'), 'utf8')) as { timeout: number };

type Result = { readonly stats: Mocha.Stats; readonly failures: Mocha.Test[] };
const results: Result[] = [];

/** Prints each test. The summary is printed once, after all runs. */
class Listing extends Mocha.reporters.Spec {
  override epilogue(): void {
    results.push({ stats: this.stats, failures: (this as unknown as Result).failures });
  }
}

const files = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.test.ts'))
  .map((path) => join('test', path))
  .filter((path) => names.length === 0 || names.some((name) => path.includes(name)))
  .filter((path) => values.without === undefined || !path.includes(values.without))
  .sort();
if (files.length === 0) {
  process.stderr.write(`no test file's path contains ${names.join(' or ')}\n`);
  process.exit(1);
}
const startsWith = (mark: string) => (path: string) => readFileSync(join(root, path), 'utf8').startsWith(mark);
const alone = files.filter(startsWith(ALONE));
const besideFew = files.filter(startsWith(WITH_FEW));
const others = files.filter((path) => !alone.includes(path) && !besideFew.includes(path));

const started = new Date();
if (names.length > 0) await run(files);
else {
  await run(others, Number(values.jobs));
  await run(besideFew, Math.min(Number(values.jobs), availableParallelism()));
  await run(alone, 1);
}
await stopTestChain();
await closeTestDatabases();
deleteSharedMarket();
process.exit(summarize() === 0 ? 0 : 1);

/** Runs test files: without `jobs` in this process, else in `jobs` worker processes. */
async function run(paths: readonly string[], jobs?: number): Promise<void> {
  const require = jobs === undefined ? [] : [join(root, 'dist', 'test', 'support', 'worker.js')];
  const mocha = new Mocha({ timeout, reporter: Listing, jobs, require, ...(values.grep && { grep: values.grep }) });
  for (const path of paths) mocha.addFile(join(root, 'dist', path.replace(/\.ts$/, '.js')));
  if (jobs !== undefined) mocha.parallelMode(true);
  else await mocha.loadFilesAsync();
  process.on('unhandledRejection', (reason) => {
    throw reason;
  });
  await new Promise((resolve) => mocha.run(resolve));
}

/** Prints one summary of all runs. Returns the number of failures. */
function summarize(): number {
  const sum = (count: (stats: Mocha.Stats) => number): number =>
    results.reduce((total, { stats }) => total + count(stats), 0);
  const failures = results.flatMap((result) => result.failures);
  const stats = {
    suites: sum(({ suites }) => suites),
    tests: sum(({ tests }) => tests),
    passes: sum(({ passes }) => passes),
    pending: sum(({ pending }) => pending),
    failures: failures.length,
    start: started,
    end: new Date(),
    duration: Date.now() - started.getTime(),
  };
  Mocha.reporters.Base.prototype.epilogue.call({ stats, failures } as never);
  return failures.length;
}
