// Tests the contract with forge: unit, fuzz and invariant tests. Then checks that forge compiles to the committed bytecode,
// and that line and branch coverage are above 95 % in each file and in total.
//   --deep        more runs, with a random seed, which is printed
//   --seed 0x…    this seed instead of the one in contracts/foundry.toml
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { ticketMarketBytecode } from '../src/chain/bytecode.js';
import { root } from './compile.js';
import { coverageProblems } from './coverage.js';
import { runForge } from './forge.js';

/** Settings of `--deep`: ten times as many random runs as in contracts/foundry.toml. */
const DEEP = { FOUNDRY_FUZZ_RUNS: '10000', FOUNDRY_INVARIANT_RUNS: '2000' };

/** Runs forge in the repository. Throws with its output if it fails. */
function forge(args: string[], stdio: 'inherit' | 'pipe', env: Record<string, string> = {}): string {
  const run = runForge(args, { root, stdio, env });
  if (run.status !== 0) throw new Error(`forge ${args.join(' ')} failed\n${run.stdout ?? ''}${run.stderr ?? ''}`.trim());
  return run.stdout ?? '';
}

/** Creates a seed for `--deep`, and prints it, so that a failure can be repeated with `--seed`. */
function randomSeed(): string {
  const seed = `0x${randomBytes(8).toString('hex')}`;
  process.stdout.write(`fuzz seed ${seed}\n`);
  return seed;
}

function requireCommittedBytecode(): void {
  const artifact = JSON.parse(readFileSync(`${root}contracts/out/TicketMarket.sol/TicketMarket.json`, 'utf8'));
  if (artifact.bytecode.object !== ticketMarketBytecode) {
    throw new Error('forge compiles to another bytecode than the committed one: run `npm run contracts`');
  }
  process.stdout.write('\nforge has tested the committed bytecode.\n');
}

function requireCoverage(): void {
  // Coverage needs fewer runs than the tests, because more runs cover no further lines. Without the optimizer, the test contracts
  // exceed the size limit of real chains, so warnings of the compiler are allowed here.
  const env = { FOUNDRY_DENY: 'never', FOUNDRY_FUZZ_RUNS: '20', FOUNDRY_INVARIANT_RUNS: '2' };
  const command = ['coverage', '--report', 'summary', '--exclude-tests', '--no-match-coverage', '^node_modules/'];
  const report = forge(command, 'pipe', env);
  process.stdout.write(`\n${report.slice(report.indexOf('╭'))}`);
  const problems = coverageProblems(report);
  if (problems.length > 0) throw new Error(problems.join('\n'));
}

try {
  const { values } = parseArgs({ options: { deep: { type: 'boolean' }, seed: { type: 'string' } } });
  const seed = values.seed ?? (values.deep ? randomSeed() : undefined);
  forge(['test'], 'inherit', { ...(values.deep && DEEP), ...(seed !== undefined && { FOUNDRY_FUZZ_SEED: seed }) });
  requireCommittedBytecode();
  requireCoverage();
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
