import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { HANG_MS } from '../hang.js';

/** The first line of stderr after a deployment was sent: hash and address. */
export const announced = /^Sending transaction (0x[0-9a-f]{64}), which deploys the contract at (0x[0-9a-f]{40})\n/;

export type Run = { readonly code: number; readonly stdout: string; readonly stderr: string };

/** Runs a script of `scripts/` with only the given environment variables. */
export function runScript(name: string, env: Readonly<Record<string, string>>): Promise<Run> {
  const script = new URL(`../../../scripts/${name}.js`, import.meta.url).pathname;
  return new Promise((resolve) => {
    execFile(process.execPath, [script], { env, timeout: HANG_MS }, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, stdout, stderr });
    });
  });
}

/** A salt that no other test uses, so that its contract does not exist yet. */
export const freshSalt = (): string => `0x${randomBytes(32).toString('hex')}`;
