// Tests the contract with forge: unit, fuzz and invariant tests, then that forge has compiled what is committed, then
// the coverage of lines and branches, which must be above 95 % in every file and in all together.
import { type SpawnSyncOptions, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { ticketMarketBytecode } from '../src/chain/bytecode.js';
import { root } from './compile.js';
import { coverageProblems } from './coverage.js';

/** forge as npm installed it for this system, or the one on the PATH. */
function forgeBinary(): string {
  const own = `@foundry-rs/forge-${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`;
  try {
    return createRequire(import.meta.url).resolve(`${own}/bin/forge`);
  } catch {
    return 'forge';
  }
}

function forge(args: string[], options: SpawnSyncOptions & { env?: Record<string, string> } = {}): string {
  const env = { ...process.env, FOUNDRY_CONFIG: 'contracts/foundry.toml', ...options.env };
  const run = spawnSync(forgeBinary(), [...args, '--root', root], { stdio: 'inherit', ...options, cwd: root, env });
  if (run.error) throw new Error('install Foundry so that forge is on the PATH');
  if (run.status !== 0)
    throw new Error(`forge ${args.join(' ')} failed\n${run.stdout ?? ''}${run.stderr ?? ''}`.trim());
  return String(run.stdout ?? '');
}

function requireCommittedBytecode(): void {
  const artifact = JSON.parse(readFileSync(`${root}contracts/out/TicketMarket.sol/TicketMarket.json`, 'utf8'));
  if (artifact.bytecode.object !== ticketMarketBytecode) {
    throw new Error('forge compiles to another bytecode than the committed one: run `npm run contracts`');
  }
  process.stdout.write('\nforge has tested the committed bytecode.\n');
}

function requireCoverage(): void {
  // Fewer runs than above: a line is not reached more often by more. Without the optimizer the tests grow too large
  // for a real chain, of which the compiler warns.
  const env = { FOUNDRY_DENY: 'never', FOUNDRY_FUZZ_RUNS: '20', FOUNDRY_INVARIANT_RUNS: '2' };
  const stdio = ['ignore', 'pipe', 'pipe'] as const;
  const command = ['coverage', '--report', 'summary', '--exclude-tests', '--no-match-coverage', '^node_modules/'];
  const report = forge(command, { stdio: [...stdio], env });
  process.stdout.write(`\n${report.slice(report.indexOf('╭'))}`);
  const problems = coverageProblems(report);
  if (problems.length > 0) throw new Error(problems.join('\n'));
}

try {
  forge(['test']);
  requireCommittedBytecode();
  requireCoverage();
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
