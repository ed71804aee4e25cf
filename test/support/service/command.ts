import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TIMEOUT_FACTOR } from '../times.js';
import { root } from './process.js';

export type Outcome = { readonly code: number | null; readonly out: string; readonly error: string };

/** Runs a program of the build with these variables and no others, and returns what it wrote. */
export function runCommand(
  program: string,
  args: readonly string[],
  environment: Record<string, string>,
): Promise<Outcome> {
  const child = spawn(process.execPath, [join(root, program), ...args], {
    cwd: tmpdir(),
    env: { PATH: process.env.PATH, LOG_LEVEL: 'warn', TIMEOUT_FACTOR, ...environment },
  });
  let [out, error] = ['', ''];
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    error += chunk;
  });
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, out, error })));
}
