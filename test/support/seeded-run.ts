import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

/**
 * Runs mocha on the files of the command line, or on `allFiles`, with further options of mocha. Mocha refuses unknown options,
 * so the value of `--seed` is passed in an environment variable.
 */
export function runSeeded(allFiles: string, variable: string, options: readonly string[] = []): void {
  const { values, positionals } = parseArgs({ options: { seed: { type: 'string' } }, allowPositionals: true });
  const root = join(import.meta.dirname, '..', '..', '..');
  const files = positionals.length > 0 ? positionals : [allFiles];
  const mocha = spawn(process.execPath, [join(root, 'node_modules/mocha/bin/mocha.js'), ...options, ...files], {
    cwd: root,
    stdio: 'inherit',
    // Faults and abuse are tested with the timeouts of a fast machine.
    env: { ...process.env, TIMEOUT_FACTOR: '1', ...(values.seed === undefined ? {} : { [variable]: values.seed }) },
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => mocha.kill(signal));
  mocha.once('exit', (code) => process.exit(code ?? 1));
}
