// Runs all test suites: `npm run test:all`, or some of them: `npm run test:all -- faults drills`. `--list` prints their names. All
// suites use one random seed. If a suite fails, the command that repeats it is printed.
import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const root = join(import.meta.dirname, '..', '..');
const { TEST_SEED = 'free' } = process.env;
const seed = TEST_SEED === 'free' ? randomInt(2 ** 31) : Number(TEST_SEED);
/** Servers for the suite `server`, on the usual ports of this machine. */
const servers = {
  DATABASE_URL: process.env.CI_DATABASE_URL ?? 'postgresql://postgres@127.0.0.1:5432/postgres',
  REDIS_URL: 'redis://127.0.0.1:6379',
};

type Suite = {
  /** Arguments of `npm`, one list per command. */
  readonly commands: readonly (readonly string[])[];
  readonly environment?: Readonly<Record<string, string>>;
};

const suites: Readonly<Record<string, Suite>> = {
  embedded: { commands: [['test', '--', '--tier', 'all']] },
  // The tests of the dashboard are left out: they use the demo, whose database is always embedded, so the servers change nothing.
  server: { commands: [['test', '--', '--tier', 'all', '--without', '/web/']], environment: servers },
  faults: { commands: [['run', 'test:faults', '--', '--seed', String(seed)]] },
  abuse: { commands: [['run', 'test:abuse', '--', '--seed', String(seed)]] },
  drills: { commands: [['run', 'test:drills']] },
  deep: { commands: [['run', 'test:deep']] },
  contract: { commands: [['run', 'test:contracts', '--', '--deep', '--seed', `0x${seed.toString(16)}`]] },
  mutants: { commands: [['run', 'test:mutants']] },
  install: {
    commands: [
      ['run', 'client:check', '--', '--install'],
      ['run', 'install:check'],
      ['run', 'supply-chain'],
    ],
  },
};

const { values, positionals } = parseArgs({ options: { list: { type: 'boolean' } }, allowPositionals: true });
const unknown = positionals.filter((name) => !(name in suites));
if (values.list) {
  process.stdout.write(`${Object.keys(suites).join('\n')}\n`);
} else if (unknown.length > 0) {
  process.stderr.write(`no suite is named ${unknown.join(', ')}: there are ${Object.keys(suites).join(', ')}\n`);
  process.exitCode = 1;
} else {
  const chosen = positionals.length > 0 ? positionals : Object.keys(suites);
  const failed = chosen.filter((name) => !passes(name));
  for (const name of failed) process.stdout.write(`failed: TEST_SEED=${seed} npm run test:all -- ${name}\n`);
  if (failed.length > 0) process.exitCode = 1;
}

function passes(name: string): boolean {
  process.stdout.write(`--- ${name}, TEST_SEED=${seed}\n`);
  const { commands, environment } = suites[name] as Suite;
  const env = { ...process.env, TEST_SEED: String(seed), ...environment };
  return commands.every((command) => spawnSync('npm', command, { cwd: root, env, stdio: 'inherit' }).status === 0);
}
