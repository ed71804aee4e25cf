import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { HANG_MS } from '../hang.js';
import { childEnvironment } from '../processes.js';
import { TIMEOUT_FACTOR } from '../times.js';

export const root = join(import.meta.dirname, '..', '..', '..', '..');

/**
 * The first port that the embedded chain of a service tries. If the port is in use, the chain tries later ports. Each test process
 * has 12 of the ports from 20,000 to 31,999, so that processes rarely try the same port.
 */
export function chainPort(): string {
  chains += 1;
  return String(20_000 + (process.pid % 1000) * 12 + (chains % 12));
}
let chains = 0;

export type Exit = { readonly code: number | null; readonly signal: NodeJS.Signals | null };
export type RunOptions = {
  readonly env?: Record<string, string>;
  readonly cwd?: string;
  /** A program and its arguments to run before `node dist/src/main.js`. */
  readonly prefix?: readonly string[];
  /** The compiled file to run instead of main.js, with its arguments. */
  readonly program?: readonly [file: string, ...args: string[]];
};

/** The environment of a service that uses the chain of the tests and has no rate limits. */
export const replicaEnv = (chain: { readonly rpcUrl: string; readonly contract: string }) => ({
  RPC_URL: chain.rpcUrl,
  CONTRACT_ADDRESS: chain.contract,
  CHAIN_ID: '84532',
  START_BLOCK: '1',
  CONFIRMATIONS: '0',
  RATE_LIMITS: 'off',
  LOG_LEVEL: 'warn',
  SOCIAL_TEXT_PROXY: 'http://127.0.0.1:1/?u={url}',
});

const running = new Set<Running>();
// Worker processes of parallel tests exit without their hooks, so this also stops the services.
process.once('exit', () => {
  for (const service of running) service.kill('SIGTERM');
});

/** The service as a separate process, with its output and exit. The suite ends it with `endProcesses`. */
export class Running {
  stdout = '';
  stderr = '';
  readonly exited: Promise<Exit>;
  /** The lines of stdout that are JSON, parsed. */
  readonly #lines: Record<string, unknown>[] = [];
  #parsed = 0;
  readonly #child: ChildProcess;

  constructor({ env = {}, cwd = tmpdir(), prefix = [], program = ['main.js'] }: RunOptions) {
    const [file, ...rest] = program;
    const [command, ...args] = [...prefix, join(root, 'bin/node'), join(root, 'dist/src', file), ...rest];
    this.#child = spawn(command as string, args, {
      cwd,
      env: childEnvironment({
        HOME: tmpdir(),
        HOST: '127.0.0.1',
        PORT: '0',
        CHAIN_PORT: chainPort(),
        TIMEOUT_FACTOR,
        ...env,
      }),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child.stdout?.on('data', (chunk: Buffer) => {
      this.stdout += chunk;
      this.#read();
    });
    this.#child.stderr?.on('data', (chunk: Buffer) => {
      this.stderr += chunk;
    });
    running.add(this);
    this.exited = new Promise((resolve, reject) => {
      this.#child.once('error', reject);
      this.#child.once('close', (code, signal) => {
        running.delete(this);
        resolve({ code, signal });
      });
    });
    this.exited.catch(() => running.delete(this));
  }

  get pid(): number {
    return this.#child.pid as number;
  }
  get alive(): boolean {
    return this.#child.pid !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }
  /** The log lines except the ready line. */
  get log(): Record<string, unknown>[] {
    return this.#lines.filter((line) => line !== this.readyLine);
  }
  get readyLine(): Record<string, unknown> | undefined {
    return this.#lines.find(({ msg }) => String(msg).startsWith('Curvet is ready at '));
  }
  get url(): string {
    return /ready at (\S+)/.exec(this.stdout)?.[1] as string;
  }
  get rpcUrl(): string {
    return /chain at ([^,)\s"]+)/.exec(this.stdout)?.[1] as string;
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  #read(): void {
    const end = this.stdout.lastIndexOf('\n') + 1;
    const lines = this.stdout.slice(this.#parsed, end).split('\n');
    this.#parsed = end;
    this.#lines.push(...lines.filter((line) => line.startsWith('{"level":')).map((line) => JSON.parse(line)));
  }

  /** Waits for the ready line. */
  async ready(): Promise<void> {
    await this.until(() => this.readyLine !== undefined, 'the service is not ready');
  }

  /** Waits until the condition is true. Fails if the process ends before that. */
  until(holds: () => boolean, otherwise: string): Promise<void> {
    const failure = () =>
      `${otherwise}; output: ${this.stdout.slice(-1000)}\n${this.stderr.slice(0, 1200)}…${this.stderr.slice(-800)}`;
    return eventually(() => {
      const done = holds();
      if (!done && !this.alive) throw new Error(failure());
      return done;
    }, failure);
  }

  /** Sends the signal. Resolves with the exit code and signal when the process has ended. */
  stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<Exit> {
    this.kill(signal);
    return this.exited;
  }
}

export const run = (options: RunOptions): Running => new Running(options);

/** Kills the processes and embedded chains that a suite left running, and deletes the data directories. */
export async function endProcesses(): Promise<void> {
  for (const one of [...running]) {
    one.kill('SIGKILL');
    await one.exited;
  }
  for (const directory of directories.splice(0)) {
    const pid = chainPid(directory);
    if (pid !== undefined && commandOf(pid).includes('anvil')) process.kill(pid, 'SIGKILL');
    rmSync(directory, { recursive: true, force: true });
  }
}

const directories: string[] = [];

/** Creates an empty temporary directory, which `endProcesses` deletes. */
export function freshDirectory(name = 'curvet-'): string {
  const directory = mkdtempSync(join(tmpdir(), name));
  directories.push(directory);
  return directory;
}

let template: Promise<string> | undefined;

/** Creates a data directory of a service that has run before. It is copied from a template, because a first start takes seconds. */
export async function usedDirectory(directory = freshDirectory()): Promise<string> {
  template ??= (async () => {
    const made = mkdtempSync(join(tmpdir(), 'curvet-used-'));
    process.once('exit', () => rmSync(made, { recursive: true, force: true }));
    const first = run({ env: { DATA_DIR: made } });
    await first.ready();
    await first.stop();
    return made;
  })();
  const source = await template;
  // The copy must be readable by this user only. Otherwise the service corrects its permissions and logs a warning.
  const umask = process.umask(0o077);
  cpSync(source, directory, { recursive: true });
  process.umask(umask);
  return directory;
}

/** The recorded pid of the embedded chain of a data directory. */
export function chainPid(directory: string): number | undefined {
  try {
    return Number(readFileSync(join(directory, 'chain', 'pid'), 'utf8'));
  } catch {
    return undefined;
  }
}

/** Whether a process runs. A zombie process has no command line, so it counts as ended. */
export const isAlive = (pid: number | undefined): boolean => pid !== undefined && commandOf(pid) !== '';

export function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  } catch {
    return spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8', timeout: HANG_MS }).stdout ?? '';
  }
}

/** Waits until the condition is true, at most HANG_MS. `otherwise` is the message of the error after that, or computes it. */
export async function eventually(
  holds: () => boolean | Promise<boolean>,
  otherwise: string | (() => string | Promise<string>) = 'the condition did not become true',
): Promise<void> {
  const deadline = performance.now() + HANG_MS;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(typeof otherwise === 'string' ? otherwise : await otherwise());
    await sleep(20);
  }
}

export async function rpc(url: string, method: string, ...params: unknown[]): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    signal: AbortSignal.timeout(HANG_MS),
  });
  const reply = (await response.json()) as { result?: unknown; error?: { message: string } };
  if (reply.error) throw new Error(reply.error.message);
  return reply.result;
}

export async function getJson(url: string): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await fetch(url, { signal: AbortSignal.timeout(HANG_MS) });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}
