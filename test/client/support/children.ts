import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { HANG_MS } from '../../support/hang.js';
import { root } from '../../support/service/process.js';
import { textOf } from './command-line.js';

export type Run = { readonly signal: NodeJS.Signals | null; readonly stdout: string };

/** Runs a program of this folder as a process of its own, with an argument. */
export function runChild(program: string, argument: object): Promise<Run> {
  return new Promise((resolve, reject) => {
    const file = join(root, 'dist/test/client/support', program);
    const child = spawn(join(root, 'bin/node'), [file, JSON.stringify(argument)], {
      stdio: ['ignore', 'pipe', 'inherit'],
      timeout: HANG_MS,
    });
    const stdout = textOf(child.stdout);
    child.once('error', reject);
    child.once('close', (_code, signal) => resolve({ signal, stdout: stdout() }));
  });
}
