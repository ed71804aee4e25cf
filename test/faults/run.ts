import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

// Usage: npm run test:faults -- [--seed N] [files]. Mocha refuses unknown options, so the seed is passed in the
// environment.

const { values, positionals } = parseArgs({ options: { seed: { type: 'string' } }, allowPositionals: true });
const root = join(import.meta.dirname, '..', '..', '..');
const files = positionals.length > 0 ? positionals : ['dist/test/faults/**/*.faults.js'];
const mocha = spawn(process.execPath, [join(root, 'node_modules/mocha/bin/mocha.js'), ...files], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, ...(values.seed === undefined ? {} : { FAULT_SEED: values.seed }) },
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => mocha.kill(signal));
mocha.once('exit', (code) => process.exit(code ?? 1));
