import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { HANG_MS } from '../../support/hang.js';
import { root } from '../../support/service/process.js';

export type Outcome = { readonly code: number | null; readonly out: string; readonly error: string };

const running = new Set<ChildProcess>();
// Worker processes of parallel tests run no hooks at their end, so this handler ends the child processes.
process.once('exit', () => {
  for (const child of running) child.kill();
});

/** Runs the command line of the built package with exactly the given environment. */
export function curvet(args: readonly string[], env: Record<string, string>): Promise<Outcome> {
  const child = spawn(join(root, 'bin/node'), [join(root, 'client/bin/curvet.js'), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: HANG_MS,
    env: { PATH: process.env.PATH, ...env },
  });
  running.add(child);
  child.once('close', () => running.delete(child));
  let [out, error] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk: Buffer) => {
    error += chunk;
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, out, error }));
  });
}
