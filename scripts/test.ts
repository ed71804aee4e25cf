// Runs test files in worker processes.
//   npm test                  the files in test/unit and test/service, on the embedded database
//   npm test -- NAME ...      the files whose path contains one of the names, in any folder
//   --tier ci | server | all  the files in other folders (`tiers`)
//   --without PATH            not the files whose path contains PATH
//   --grep TEXT               only the tests whose title matches
//   --jobs N                  in N processes (default: one per processor)
//   --order N                 in the random order with this number
import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import Mocha from 'mocha';
import { createTemplate, dropTestDatabases } from '../test/support/database.js';
import { HANG_MS } from '../test/support/hang.js';
import { ownRun } from '../test/support/processes.js';
import { SEED_LINE } from '../test/support/seed.js';

const root = join(import.meta.dirname, '..', '..');
/** Matches the tests that open pages in a browser. */
const WEB = /\/(ci|nightly)\/web\//;

/**
 * The folders in `test/` that a tier runs.
 * - `unit`: tests without a database and without a chain.
 * - `service`: tests of the service, or of a part of it, in this process, on a database and a chain. `.ci/run` runs them a second
 *   time on PostgreSQL and Redis.
 * - `ci`: tests that start programs, compilers or browsers, or take several seconds, so `npm test` leaves them out.
 * - `ci-servers`: the same, but they behave differently on PostgreSQL and Redis, so `.ci/run` runs them there, too.
 * - `nightly`: tests that need real time, many processes or much load, and most tests of pages in a browser.
 */
const tiers: Readonly<Record<string, readonly string[]>> = {
  quick: ['unit', 'service'],
  ci: ['unit', 'service', 'ci', 'ci-servers'],
  server: ['service', 'ci-servers'],
  all: ['unit', 'service', 'ci', 'ci-servers', 'nightly'],
};

const { values, positionals: names } = parseArgs({
  allowPositionals: true,
  options: {
    tier: { type: 'string' },
    without: { type: 'string' },
    grep: { type: 'string' },
    jobs: { type: 'string' },
    order: { type: 'string' },
  },
});

// The run ends with this process: no process and no file of it stays, also after Ctrl-C, which makes the exit code 130.
ownRun(() => void finish(130));

const files = chosenFiles();
if (files.length === 0) {
  process.stderr.write(`no test file is chosen by ${process.argv.slice(2).join(' ')}\n`);
  process.exit(1);
}
process.stdout.write(`${SEED_LINE}\n`);
await createTemplate();
await finish((await run(files)) === 0 ? 0 : 1);

function chosenFiles(): string[] {
  const folders = tiers[values.tier ?? (names.length > 0 ? 'all' : 'quick')];
  if (folders === undefined) throw new Error(`--tier is one of ${Object.keys(tiers).join(', ')}`);
  const chosen = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter(
      (path) => path.endsWith('.test.ts') || (path.endsWith('.fixture.ts') && names.some((name) => name.includes('.fixture'))),
    )
    .map((path) => join('test', path))
    .filter((path) => names.length === 0 || names.some((name) => path.includes(name)))
    .filter((path) => values.without === undefined || !path.includes(values.without))
    .filter((path) => folders.some((folder) => path.startsWith(join('test', folder, '/'))))
    // The tests that open pages in a browser take longest, so they start first. Started last, one would keep the other processors
    // idle.
    .sort((a, b) => Number(WEB.test(b)) - Number(WEB.test(a)) || (a < b ? -1 : 1));
  return values.order === undefined ? chosen : shuffled(chosen, Number(values.order));
}

/** Orders the files by a linear congruential generator, so that the same number always gives the same order. */
function shuffled(paths: readonly string[], seed: number): string[] {
  let state = seed >>> 0;
  const keyed = paths.map((path) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return [state, path] as const;
  });
  return keyed.sort(([a], [b]) => a - b).map(([, path]) => path);
}

/** Runs test files in parallel. Returns the number of failures. */
async function run(paths: readonly string[]): Promise<number> {
  const mocha = new Mocha({
    timeout: HANG_MS,
    reporter: 'spec',
    jobs: Math.min(Number(values.jobs ?? availableParallelism()), paths.length),
    require: [join(root, 'dist', 'test', 'support', 'worker.js')],
    ...(values.grep && { grep: values.grep }),
  });
  for (const path of paths) mocha.addFile(join(root, 'dist', path.replace(/\.ts$/, '.js')));
  mocha.parallelMode(true);
  return new Promise((resolve) => mocha.run(resolve));
}

async function finish(code: number): Promise<never> {
  await dropTestDatabases();
  process.exit(code);
}
