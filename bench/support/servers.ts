import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';

export type Server = {
  readonly url: string;
  readonly pid: number;
  /** Start time of the process, by performance.now(). */
  readonly startedAt: number;
  /** CPU time used so far, in milliseconds. */
  cpu(): number;
  /** Resident memory in bytes. */
  resident(): number;
  stop(): Promise<void>;
};

const canPin = process.platform === 'linux' && spawnSync('taskset', ['-p', String(process.pid)]).status === 0;
/** Length of a clock tick in /proc. It is 10 ms on all current Linux systems. */
const TICK_MS = 10;

/** Whether servers run on the first core, and this process and its database on the second. That needs Linux and two cores. */
export const pinned = canPin && spawnSync('taskset', ['-c', '1', 'true']).status === 0;

export function pin(pid: number, core: number): void {
  if (pinned) spawnSync('taskset', ['-a', '-cp', String(core), String(pid)]);
}

/** Lets a process that was pinned to a core run on all cores. */
export function unpin(pid: number): void {
  if (pinned) spawnSync('taskset', ['-a', '-cp', `0-${cpus().length - 1}`, String(pid)]);
}

/** Path of the Node.js that runs this process. */
export const node = process.execPath;

/**
 * Starts a program, and waits until it prints a line with its URL, or a line that `ready` matches, whose first group then counts as
 * the URL.
 */
export async function startServer(
  command: readonly string[],
  options: {
    readonly env?: Record<string, string>;
    readonly cwd?: string;
    /** Maximum time until the program is ready, in milliseconds. @default 60,000 */
    readonly within?: number;
    readonly ready?: RegExp;
  } = {},
): Promise<Server> {
  const [program = '', ...args] = pinned ? ['taskset', '-c', '0', ...command] : command;
  const started = performance.now();
  const child = spawn(program, args, {
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', NODE_ENV: 'production', ...options.env },
    cwd: options.cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const url = await readyUrl(child, options.within ?? 60_000, options.ready ?? READY).catch(async (error: Error) => {
    await end(child);
    throw new Error(`${command.join(' ')}: ${error.message}`);
  });
  const pid = child.pid ?? 0;
  return {
    url,
    pid,
    startedAt: started,
    cpu: () => cpuOf(pid),
    resident: () => residentOf(pid),
    stop: () => end(child),
  };
}

/** Matches the line that a server prints when it is ready, with its URL. */
const READY = /ready (?:at )?(http:\/\/[\w.:[\]]+)/;

function readyUrl(child: ChildProcess, within: number, ready: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    const timer = setTimeout(() => reject(new Error(`not ready in time: ${said.slice(-2000)}`)), within);
    const hear = (data: Buffer) => {
      said = (said + data).slice(-20_000);
      const url = ready.exec(said)?.[1];
      if (url === undefined) return;
      clearTimeout(timer);
      resolve(url);
    };
    child.stdout?.on('data', hear);
    child.stderr?.on('data', hear);
    child.once('error', reject);
    child.once('exit', (code) => {
      clearTimeout(timer);
      reject(new Error(`ended with ${code}: ${said.slice(-2000)}`));
    });
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  // Longer than the service needs at most to stop (`stop` in src/config/timeouts.ts).
  const force = setTimeout(() => child.kill('SIGKILL'), 12_000);
  await exited;
  clearTimeout(force);
}

/** User and system time of a process so far, in milliseconds. */
export function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

export function residentOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
}
