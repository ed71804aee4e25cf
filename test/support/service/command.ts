import type { Program, Streams } from '../../../src/cli/program.js';
import { TIMEOUT_FACTOR } from '../times.js';

export type Outcome = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

/**
 * Calls a program in this process, with only these environment variables and test defaults for the log and timeouts. Returns its
 * exit code and what it wrote. `onOutput` is called with the text of stdout so far.
 */
export async function callProgram(
  main: Program,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  onOutput?: (stdout: string) => void,
): Promise<Outcome> {
  const written = { stdout: '', stderr: '' };
  const output = (name: 'stdout' | 'stderr') => ({
    write(text: string) {
      written[name] += text;
      if (name === 'stdout') onOutput?.(written.stdout);
    },
  });
  const code = await main(
    args,
    { LOG_LEVEL: 'warn', TIMEOUT_FACTOR, ...env },
    { stdout: output('stdout'), stderr: output('stderr') },
  );
  return { code, ...written };
}

/** Streams that look like a terminal. They pass everything that a program writes to `onOutput`. */
export function terminal(onOutput: (text: string) => void): Streams {
  const stream = { isTTY: true, write: (text: string) => onOutput(text) };
  return { stdout: stream, stderr: stream };
}
