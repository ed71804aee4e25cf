import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { TradeError } from '../errors.js';
import type { Entry, Journal, JournalFile } from './journal.js';

/**
 * Maximum wait for another process that has locked the journal, in milliseconds. Longer than a trade waits for its block (2
 * minutes).
 */
const BUSY_MS = 150_000;

/**
 * A journal in a file that only its user can read. SQLite's lock on a file beside it is the lock of the journal, because the
 * operating system releases it when the process dies.
 */
export function fileJournal(path: string, { busyMs = BUSY_MS }: { readonly busyMs?: number | undefined } = {}): Journal {
  const sqlite = process.getBuiltinModule?.('node:sqlite');
  if (!sqlite) {
    throw new TradeError('NOT_CONFIGURED', 'a journal in a file needs Node.js 22.13', {
      hint: 'Use a newer Node.js, or pass memoryJournal(). It does not survive a crash: a trade may then be made twice.',
    });
  }
  // This chain of promises serialises the calls of this process. The lock serialises processes.
  let last: Promise<unknown> = Promise.resolve();
  const file = jsonFile(path);
  return {
    exclusive(work) {
      const run = last.then(async () => {
        const unlock = await lock(sqlite, `${path}.lock`, busyMs);
        try {
          await removeTemporary(path);
          return await work(file);
        } finally {
          unlock();
        }
      });
      last = run.catch(() => undefined);
      return run;
    },
  };
}

/** Reads the entries without the lock. A write replaces the file as a whole, so a reader never sees half of it. */
export const readJournal = (path: string): Promise<readonly Entry[]> => jsonFile(path).read();

const jsonFile = (path: string): JournalFile => ({
  async read() {
    let text: string;
    try {
      text = await readFile(path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
    return (JSON.parse(text) as { entries: readonly Entry[] }).entries;
  },
  write: (entries) => replaceFile(path, `${JSON.stringify({ version: 1, entries }, null, 1)}\n`),
});

/** Replaces a private file (mode 0600) as a whole, so that a crash leaves the old content or the new one. */
export async function replaceFile(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    const file = await open(temporary, 'w', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  const directory = await open(dirname(path), 'r');
  // Windows cannot sync a directory, so a failure is ignored.
  await directory.sync().catch(() => undefined);
  await directory.close();
}

/** Removes temporary files of processes that died while they wrote. The caller has the lock, so no process writes one now. */
async function removeTemporary(path: string): Promise<void> {
  const name = basename(path);
  for (const other of await readdir(dirname(path))) {
    if (other.startsWith(`${name}.`) && /^\d+\.tmp$/.test(other.slice(name.length + 1)))
      await rm(join(dirname(path), other), { force: true });
  }
}

/**
 * Creates the lock file unless it exists. It does not open a file that exists: closing the file would end the lock that another
 * journal of this process has on it.
 */
async function createOnce(path: string): Promise<void> {
  const file = await open(path, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await file?.close();
}

async function lock({ DatabaseSync }: typeof import('node:sqlite'), path: string, busyMs: number): Promise<() => void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await createOnce(path);
  for (const deadline = Date.now() + busyMs; ; ) {
    const database = new DatabaseSync(path);
    try {
      database.exec('PRAGMA busy_timeout = 0; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
      return () => database.close();
    } catch (cause) {
      database.close();
      if (Date.now() > deadline) {
        throw new TradeError('JOURNAL_BUSY', `another process uses ${path}`, {
          hint: 'Wait until its trade has ended.',
          cause,
        });
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
