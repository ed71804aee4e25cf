import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Logger } from 'pino';
import { OperatorError } from '../errors/errors.js';

/** Thrown if the directory is locked by another process, or is not writable. */
export class DirectoryRefused extends OperatorError {}

const SQLITE_BUSY = 5;

/**
 * Locks the data directory for this process, and returns a function that unlocks it. The embedded database does not lock its files,
 * and a second process would corrupt them. The lock is SQLite's file lock, which the system releases when the process dies, so no
 * stale lock remains.
 *
 * It also sets the umask, so that new files are private, and makes existing files private, with a warning in the log. `own` lists
 * further entries of the directory that the caller creates.
 */
export function lockDirectory(directory: string, log: Pick<Logger, 'warn'>, own: readonly string[] = []): () => void {
  process.umask(0o077);
  let lock: DatabaseSync | undefined;
  try {
    makeDirectory(directory);
    // SQLite locks a file even if it cannot write to it, so write access is checked here.
    accessSync(directory, constants.W_OK);
    lock = new DatabaseSync(join(directory, 'lock'));
    lock.exec('PRAGMA busy_timeout = 0; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (error) {
    lock?.close();
    const { errcode, message } = error as Error & { errcode?: number };
    const why = errcode === SQLITE_BUSY ? 'is in use by another process' : `cannot be written: ${message}`;
    throw new DirectoryRefused(`DATA_DIR: "${directory}" ${why}`, { cause: error });
  }
  const { corrected, uncorrected } = makePrivate(directory, own);
  if (corrected + uncorrected > 0) {
    const warning = `DATA_DIR: ${corrected + uncorrected} files and directories were open to other users of this machine`;
    log.warn({ directory, corrected, uncorrected }, `${warning}; ${corrected} of them are private now`);
  }
  return () => lock.close();
}

/** Creates the parents one by one, because `mkdir` with `recursive` never returns for a path below /proc. */
function makeDirectory(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  if (!existsSync(dirname(path))) makeDirectory(dirname(path));
  mkdirSync(path, { mode: 0o700 });
}

/** Entries of the data directory that the service and the commands create. */
const ENTRIES = ['database', 'database.new', 'chain', 'lock', 'lock-journal'];
/** Maximum number of entries to check. The embedded database has about 1,000 files. */
const MAX_ENTRIES = 100_000;
const OTHERS = 0o077;
const STICKY = 0o1000;

/**
 * Removes the permissions of group and others from a data directory and its entries (ENTRIES and `own`). Other files are not
 * touched, and symbolic links are not followed. The directory comes first, so that no other user can exchange its entries
 * meanwhile. Counts what was corrected, and what others can still access: entries of another user, and those beyond the maximum.
 */
export function makePrivate(dataDir: string, own: readonly string[] = []): { corrected: number; uncorrected: number } {
  const directory = realpathSync(dataDir);
  let corrected = 0;
  let uncorrected = 0;
  const correct = (path: string): boolean => {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat === undefined || stat.isSymbolicLink()) return false;
    if ((stat.mode & OTHERS) !== 0) {
      if (removeRights(path, stat.mode & 0o700)) corrected++;
      else uncorrected++;
    }
    return stat.isDirectory();
  };
  // Users share a directory with the sticky bit, such as /tmp, on purpose. So only the entries in it are made private.
  if ((lstatSync(directory).mode & STICKY) === 0) correct(directory);
  const pending = [...ENTRIES, ...own].map((name) => join(directory, name));
  for (let entries = 0; pending.length > 0 && entries < MAX_ENTRIES; entries++) {
    const path = pending.pop() as string;
    if (correct(path)) pending.push(...namesIn(path).map((name) => join(path, name)));
  }
  return { corrected, uncorrected: uncorrected + pending.length };
}

function removeRights(path: string, mode: number): boolean {
  let file: number | undefined;
  try {
    // Changes the mode through a descriptor, because the path could be replaced by a link between the check and the change. Without
    // O_NONBLOCK, opening a FIFO would wait for a writer.
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    fchmodSync(file, mode);
    return true;
  } catch {
    return false;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
