import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { HANG_MS } from '../../support/hang.js';
import { root } from '../../support/service/process.js';

export type Run = { readonly killed: boolean; readonly code: number | null; readonly stdout: string };

/** Runs a program of this folder as a process of its own. */
export function runChild(program: string, env: Record<string, string>): Promise<Run> {
  return new Promise((resolve, reject) => {
    const child = spawn(join(root, 'bin/node'), [join(root, 'dist/test/client/support', program)], {
      stdio: ['ignore', 'pipe', 'inherit'],
      timeout: HANG_MS,
      env: { PATH: process.env.PATH, ...env },
    });
    let stdout = '';
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk;
    });
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ killed: signal === 'SIGKILL', code, stdout }));
  });
}
