import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

/** Environment variable that every process of a test run has. Its value is the name of the run. */
export const RUN = 'CURVET_TEST_RUN';

/** Starts a run: gives it a name and a directory for temporary files. Processes that are started from here on inherit both. */
function startRun(): void {
  const run = `curvet_test_${process.pid}_${randomBytes(4).toString('hex')}`;
  const directory = join(process.env.TMPDIR ?? fastestPlace(), run);
  mkdirSync(directory);
  // Some tests start a program as another user, which must be able to enter the directory.
  chmodSync(directory, 0o755);
  process.env[RUN] = run;
  process.env.TMPDIR = directory;
}

/**
 * Where temporary files go: the memory of Linux if it has room, else the usual directory. In memory, a database for each test file
 * costs a third of what it costs on a disk.
 */
function fastestPlace(): string {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm');
    if (bavail * bsize > 2e9) return '/dev/shm';
  } catch {
    // There is no /dev/shm, which only Linux has.
  }
  return tmpdir();
}

/**
 * Starts a run that ends with this process, also when the process is interrupted: then `interrupted` is called, which must exit.
 * 130 is the usual exit code after Ctrl-C.
 */
export function ownRun(interrupted: () => void = () => process.exit(130)): void {
  startRun();
  process.once('exit', endRun);
  for (const signal of INTERRUPTIONS) process.once(signal, interrupted);
}
/** The signals that end a process from outside: a terminal that is closed, Ctrl-C, and `kill`. */
export const INTERRUPTIONS = ['SIGHUP', 'SIGINT', 'SIGTERM'] as const;

/** Ends every other process of this run, and deletes its temporary files. */
export function endRun(): void {
  endMarkedProcesses();
  const directory = process.env.TMPDIR ?? '';
  // Deletes only a directory with the name of the run. If TMPDIR is that of the user, it must never be deleted.
  if (basename(directory) === process.env[RUN]) rmSync(directory, { recursive: true, force: true });
}

/** The environment of a process that a test starts: the given variables, and those that make it a process of the run. */
export const childEnvironment = (variables: Readonly<Record<string, string | undefined>> = {}): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  TMPDIR: process.env.TMPDIR,
  [RUN]: process.env[RUN],
  ...variables,
});

/**
 * Kills every other process of this run, which it finds in /proc (`isMarked`). Killing process groups would miss the embedded
 * chain, which has a separate group. A list of children would miss those of a killed process. Does nothing where there is no /proc.
 */
function endMarkedProcesses(): void {
  for (let round = 0; round < ROUNDS && killMarked() > 0; round++);
}
/**
 * Maximum number of rounds. A process that is just starting others may need a second round, and a killed process is still listed
 * until the system removes it.
 */
const ROUNDS = 1000;

/** Kills the processes of the run that are listed now. Returns their number. */
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

/**
 * These programs overwrite their environment with a title, so `RUN` cannot be read from it. Instead, they are recognised by a
 * working directory in that of the run.
 */
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
