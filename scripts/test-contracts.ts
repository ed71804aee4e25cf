// Tests the contract with forge: unit, fuzz and invariant tests. Then checks that forge compiles to the committed bytecode,
// and that line and branch coverage are above 95 % in each file and in total.
import { type SpawnSyncOptions, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { ticketMarketBytecode } from '../src/chain/bytecode.js';
import { root } from './compile.js';
import { coverageProblems } from './coverage.js';

/** Path of forge from the npm package for this platform, else `forge` on the PATH. */
function forgeBinary(): string {
  const packageName = `@foundry-rs/forge-${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`;
  try {
    return createRequire(import.meta.url).resolve(`${packageName}/bin/forge`);
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
  // Fewer runs than above, since more runs cover no further lines. Without the optimizer the test contracts exceed the
  // size limit of real chains, hence the compiler warnings.
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
