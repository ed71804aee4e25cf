import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { childEnvironment } from '../support/processes.js';
import { root } from '../support/service/process.js';

/** Runs a program of the repository, such as `bin/tool`, and returns its output. Throws its output if it fails. */
export async function run(program: string, ...args: readonly string[]): Promise<string> {
  const env = childEnvironment({ REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' });
  try {
    return (await promisify(execFile)(join(root, program), args, { cwd: root, env, maxBuffer: 1e8 })).stdout;
  } catch (error) {
    const { stdout, stderr } = error as { readonly stdout: string; readonly stderr: string };
    throw new Error(`${program} ${args.join(' ')} failed: ${stdout}${stderr}`);
  }
}
