import { spawn } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { pathToFileURL } from 'node:url';
import type { Environment, Streams } from '../../../client/src/cli/io.js';
import type { Clock } from '../../../client/src/http/clock.js';
import { HANG_MS } from '../hang.js';
import { childEnvironment } from '../processes.js';
import { root } from '../service/process.js';
import { patientClock } from './scripted.js';

export type Outcome = { readonly code: number | null; readonly out: string; readonly error: string };

/** The program file of the built package, which calls `main`. */
export const PROGRAM = join(root, 'client/bin/curvet.js');
const { main } = (await import(
  pathToFileURL(join(root, 'client/dist/cli/main.js')).href
)) as typeof import('../../../client/src/cli/main.js');

/** Streams that replace those of a process. `interrupt` acts like Ctrl-C. */
type Pipes = Streams & {
  readonly [name in 'stdin' | 'stdout' | 'stderr']: PassThrough;
} & { interrupt(): void };

export function pipes(): Pipes {
  const signals = new EventEmitter();
  return {
    stdin: new PassThrough(),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    once: (signal, listener) => signals.once(signal, listener),
    interrupt: () => void signals.emit('SIGINT'),
  };
}

/** Runs the command line of the built package in this process, on the given streams. */
export const runOn = (streams: Streams, args: readonly string[], env: Environment, clock: Clock = patientClock): Promise<number> =>
  main(args, env, streams, clock);

/** Runs the command line of the built package in this process, with exactly the given environment and an empty input. */
export async function curvet(args: readonly string[], env: Environment, clock?: Clock): Promise<Outcome> {
  const streams = pipes();
  streams.stdin.end();
  const [out, error] = [textOf(streams.stdout), textOf(streams.stderr)];
  const code = await runOn(streams, args, env, clock);
  return { code, out: out(), error: error() };
}

/** Runs `bin/node` with these arguments as a separate process, with exactly the given environment and input. */
export function nodeProcess(args: readonly string[], env: Record<string, string> = {}, input = ''): Promise<Outcome> {
  const child = spawn(join(root, 'bin/node'), args, { timeout: HANG_MS, cwd: root, env: childEnvironment(env) });
  const [out, error] = [textOf(child.stdout), textOf(child.stderr)];
  child.stdin.end(input);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, out: out(), error: error() }));
  });
}

/** Collects the output of a stream. Returns a function that returns the text so far. */
export function textOf(stream: NodeJS.ReadableStream): () => string {
  let text = '';
  stream.on('data', (chunk: Buffer) => {
    text += chunk;
  });
  return () => text;
}
