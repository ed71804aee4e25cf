import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Logger } from 'pino';
import { OperatorError } from '../errors.js';
import { makePrivate } from './private-directory.js';

/** The directory is locked by another process, or is not writable. */
export class DirectoryRefused extends OperatorError {}

const SQLITE_BUSY = 5;

/**
 * Locks the data directory for this process; returns a function that unlocks it. The embedded database has no lock of its
 * own, and a second process would corrupt it. The lock is SQLite's file lock, which the system releases when the process
 * dies, so no stale lock remains.
 *
 * It also sets the umask, so that new files are private, and makes existing files private, with a warning in the log.
 */
export function lockDirectory(directory: string, log: Pick<Logger, 'warn'>): () => void {
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
  const { corrected, uncorrected } = makePrivate(directory);
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
