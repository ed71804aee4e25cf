import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

/** Environment variable that every process of a test run has. Its value names the run. */
export const RUN = 'CURVET_TEST_RUN';

/** Names a run, so that the processes and the temporary files from here on are its own. */
function startRun(): void {
  const run = `curvet_test_${process.pid}_${randomBytes(4).toString('hex')}`;
  const directory = join(process.env.TMPDIR ?? fastestPlace(), run);
  mkdirSync(directory);
  // Some tests start a program as another user.
  chmodSync(directory, 0o755);
  process.env[RUN] = run;
  process.env.TMPDIR = directory;
}

/** The memory of Linux, where a database for each file costs a third of what it costs on a disk, or the usual place. */
function fastestPlace(): string {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm');
    if (bavail * bsize > 2e9) return '/dev/shm';
  } catch {
    // Only Linux has it.
  }
  return tmpdir();
}

/** Starts a run that ends with this process, also when the process is interrupted. */
export function ownRun(interrupted: () => void = () => process.exit(130)): void {
  startRun();
  process.once('exit', endRun);
  for (const signal of INTERRUPTIONS) process.once(signal, interrupted);
}
/** What ends a process from outside: a terminal that is closed, Ctrl-C, and `kill`. */
export const INTERRUPTIONS = ['SIGHUP', 'SIGINT', 'SIGTERM'] as const;

/** Ends every other process of this run, and deletes its temporary files. */
export function endRun(): void {
  endMarkedProcesses();
  const directory = process.env.TMPDIR ?? '';
  // The directory of the user must never be deleted.
  if (basename(directory) === process.env[RUN]) rmSync(directory, { recursive: true, force: true });
}

/** The environment of a process that a test starts: these variables, and what makes it a process of the run. */
export const childEnvironment = (variables: Readonly<Record<string, string | undefined>> = {}): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  TMPDIR: process.env.TMPDIR,
  [RUN]: process.env[RUN],
  ...variables,
});

/**
 * Kills every other process of this run. Process groups would miss the embedded chain, which has a group of its own, and
 * a list of children would miss those of a killed process. Does nothing where there is no /proc.
 */
function endMarkedProcesses(): void {
  for (let round = 0; round < ROUNDS && killMarked() > 0; round++);
}
/** A process that is just starting others may need a second look. A killed one is seen until the system removes it. */
const ROUNDS = 1000;

function killMarked(): number {
  return processIds().filter((pid) => {
    if (pid === process.pid || !isMarked(pid)) return false;
    try {
      return process.kill(pid, 'SIGKILL');
    } catch {
      return false;
    }
  }).length;
}

const processIds = (): number[] => (existsSync('/proc') ? readdirSync('/proc').map(Number).filter(Number.isInteger) : []);

/** These programs write a title over their environment. Those of a run work in its directory. */
const TITLED = ['nginx', 'postgres', 'redis-server'];

function isMarked(pid: number): boolean {
  const run = process.env[RUN] as string;
  const read = (file: string) => readFileSync(`/proc/${pid}/${file}`, 'latin1');
  try {
    if (read('environ').split('\0').includes(`${RUN}=${run}`)) return true;
    return TITLED.includes(read('comm').trim()) && readlinkSync(`/proc/${pid}/cwd`).split('/').includes(run);
  } catch {
    return false;
  }
}
