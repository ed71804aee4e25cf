import { COMMIT, VERSION } from '../config/config.js';

type Output = { readonly isTTY?: boolean; write(text: string): unknown };

/** The output streams of a program. `process` has this type. */
export type Streams = { readonly stdout: Output; readonly stderr: Output };

/** A program as a function. It does not end the process but returns the exit code, so that tests can call it. */
export type Program = (args: readonly string[], env: NodeJS.ProcessEnv, streams: Streams) => Promise<number>;

export async function runProgram(main: Program): Promise<never> {
  process.exit(await main(process.argv.slice(2), process.env, process));
}

/** A signal that aborts at SIGTERM or SIGINT, with the name of the signal as its reason. */
export function interruption(): AbortSignal {
  const interrupt = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => interrupt.abort(signal));
  return interrupt.signal;
}

/** Prints the usage if --help is among the arguments. Returns whether it is. */
export function printHelp(args: readonly string[], usage: string, stdout: Output): boolean {
  const isAsked = args.includes('--help');
  if (isAsked) stdout.write(usage);
  return isAsked;
}

/**
 * Answers --help and --version, and refuses arguments that are not accepted. Returns the exit code, or undefined if the program
 * goes on.
 */
export function answerAtOnce(
  args: readonly string[],
  accepted: readonly string[],
  usage: string,
  { stdout, stderr }: Streams,
): number | undefined {
  if (printHelp(args, usage, stdout)) return 0;
  if (args[0] === '--version') {
    stdout.write(`curvet ${VERSION}${COMMIT && ` (${COMMIT})`}\n`);
    return 0;
  }
  const unknown = args.find((arg) => !accepted.includes(arg));
  if (unknown === undefined) return undefined;
  stderr.write(`curvet: ${JSON.stringify(unknown)} is no argument\n${usage}`);
  return 1;
}
