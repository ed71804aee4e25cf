// Tests the contract's tests: makes mutants of the contract, one change each, and runs forge on each. A mutant that no test
// notices survives. contracts/equivalent-mutants.json lists the mutants that cannot be noticed, with the reason.
//   npm run test:mutants                 all mutants
//   npm run test:mutants -- fee          those whose line contains the text
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './compile.js';
import { runForge } from './forge.js';
import { type Mutant, mutantsOf, mutate } from './mutants.js';

type Equivalent = { readonly file: string; readonly from: string; readonly to: string; readonly reason: string };
type Outcome = 'killed' | 'survived' | 'invalid';

const FILES = ['AgentName.sol', 'BondingCurve.sol', 'TicketBook.sol', 'TicketMarket.sol'];
const LISTED = 'contracts/equivalent-mutants.json';
type Attempt = Readonly<Record<string, string>>;

/**
 * Fewer runs than in `npm run test:contracts`, and no optimizer: most mutants fail in the first run of any test. An unchanged
 * contract takes 10 seconds.
 */
const QUICK: Attempt = { FOUNDRY_FUZZ_RUNS: '30', FOUNDRY_INVARIANT_RUNS: '3' };
/** Second attempt to notice a mutant that survives the quick tests. */
const THOROUGH: Attempt = { FOUNDRY_FUZZ_RUNS: '300', FOUNDRY_INVARIANT_RUNS: '40' };
/** A mutant with an endless loop runs out of gas, which fails its test. forge's own limit would let it run for hours. */
const GAS_LIMIT = '2000000000';

const keyOf = ({ file, from, to }: { file: string; from: string; to: string }) =>
  [file, from.trim(), to.trim()].join('\n');

/** Copy of the contracts in a directory of its own, where mutants replace the original. */
class Workshop {
  readonly directory = mkdtempSync(join(tmpdir(), 'curvet-mutants-'));
  readonly #sources: ReadonlyMap<string, string>;

  constructor() {
    const generated = ['out', 'cache'].map((name) => `${root}contracts/${name}`);
    cpSync(`${root}contracts`, `${this.directory}/contracts`, {
      recursive: true,
      filter: (path) => !generated.includes(path),
    });
    cpSync(`${root}test/vectors`, `${this.directory}/test/vectors`, { recursive: true });
    for (const name of ['node_modules', 'bin', 'package.json']) symlinkSync(root + name, `${this.directory}/${name}`);
    this.#sources = new Map(FILES.map((file) => [file, readFileSync(`${this.directory}/contracts/${file}`, 'utf8')]));
  }

  mutants(): Mutant[] {
    return [...this.#sources].flatMap(([file, source]) => mutantsOf(file, source));
  }

  /** Runs the tests on one thread until the first failure. */
  test(attempt: Attempt): Outcome {
    const env = { FOUNDRY_DENY: 'never', FOUNDRY_OPTIMIZER: 'false', FOUNDRY_GAS_LIMIT: GAS_LIMIT, ...attempt };
    const run = runForge(['test', '--fail-fast', '--threads', '1'], {
      root: this.directory,
      stdio: 'pipe',
      env,
    });
    if (run.status === 0) return 'survived';
    if (run.status === null) throw new Error(`forge was ended by ${run.signal}`);
    return /Compiler run failed/.test(`${run.stdout}${run.stderr}`) ? 'invalid' : 'killed';
  }

  run(mutant: Mutant): Outcome {
    const path = `${this.directory}/contracts/${mutant.file}`;
    const source = this.#sources.get(mutant.file) ?? '';
    writeFileSync(path, mutate(source, mutant));
    try {
      const outcome = this.test(QUICK);
      return outcome === 'survived' ? this.test(THOROUGH) : outcome;
    } finally {
      writeFileSync(path, source);
    }
  }

  remove(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/** The mutants that the arguments of the command choose. */
function chosen(mutants: readonly Mutant[]): Mutant[] {
  const { positionals } = parseArgs({ allowPositionals: true });
  const matching = mutants.filter(({ from }) => positionals.every((text) => from.includes(text)));
  if (matching.length === 0) throw new Error('no mutants are chosen');
  return matching;
}

function describe({ file, line, from, to }: Mutant): string {
  return `contracts/${file}:${line}\n    - ${from.trim()}\n    + ${to.trim()}\n`;
}

/** Tests the mutants and prints the survivors. Returns the number of problems. */
function testMutants(workshop: Workshop, mutants: readonly Mutant[], listed: ReadonlySet<string>): number {
  const count = { killed: 0, equivalent: 0, invalid: 0 };
  let problems = 0;
  for (const mutant of mutants) {
    const isListed = listed.has(keyOf(mutant));
    const outcome = workshop.run(mutant);
    if (outcome !== 'survived') count[outcome]++;
    else if (isListed) count.equivalent++;
    if ((outcome === 'survived') === isListed) continue;
    problems++;
    const what = isListed ? `listed in ${LISTED}, but ${outcome}` : 'survived';
    process.stdout.write(`${what}: ${describe(mutant)}`);
  }
  const parts = Object.entries(count).map(([name, number]) => `${number} ${name}`);
  process.stdout.write(`${mutants.length} mutants: ${parts.join(', ')}, ${problems} unexplained\n`);
  return problems;
}

const workshop = new Workshop();
try {
  const all = workshop.mutants();
  const equivalents = JSON.parse(readFileSync(root + LISTED, 'utf8')) as Equivalent[];
  const made = new Set(all.map(keyOf));
  const stale = equivalents.filter((entry) => !made.has(keyOf(entry)));
  if (stale.length > 0) throw new Error(`${LISTED} has entries of no mutant:\n${stale.map(keyOf).join('\n\n')}`);
  const mutants = chosen(all);
  if (workshop.test(QUICK) !== 'survived') throw new Error('the tests fail without a mutant');
  const problems = testMutants(workshop, mutants, new Set(equivalents.map(keyOf)));
  if (problems > 0) process.exitCode = 1;
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
} finally {
  workshop.remove();
}
