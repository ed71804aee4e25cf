import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

// Usage: npm run test:abuse -- [--seed N] [files]. Mocha refuses unknown options, so the seed is passed in the environment.
// The tests of sockets mostly wait, so two files run at the same time.

const { values, positionals } = parseArgs({ options: { seed: { type: 'string' } }, allowPositionals: true });
const root = join(import.meta.dirname, '..', '..', '..');
const files = positionals.length > 0 ? positionals : ['dist/test/abuse/*.abuse.js'];
const mocha = spawn(
  process.execPath,
  [join(root, 'node_modules/mocha/bin/mocha.js'), '--parallel', '--jobs', '2', ...files],
  {
    cwd: root,
    stdio: 'inherit',
    // Abuse is tested with the timeouts of a fast machine.
    env: { ...process.env, TIMEOUT_FACTOR: '1', ...(values.seed === undefined ? {} : { TEST_SEED: values.seed }) },
  },
);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => mocha.kill(signal));
mocha.once('exit', (code) => process.exit(code ?? 1));
