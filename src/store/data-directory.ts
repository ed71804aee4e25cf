import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Logger } from 'pino';
import { makePrivate } from './private-directory.js';

/** Another process holds the directory, or nothing can be written there. */
export class DirectoryRefused extends Error {}

const SQLITE_BUSY = 5;

/**
 * Takes the data directory for this process; returns what gives it back. The embedded database locks nothing itself, so
 * a second process would corrupt it. The lock is SQLite's on an empty file: one that the system drops when its holder
 * dies, however it dies, so that there is no stale lock to judge.
 *
 * From here on what this process and its children write is for their user alone. What is there and open to other users
 * is closed to them, with a line in the log.
 */
export function lockDirectory(directory: string, log: Pick<Logger, 'warn'>): () => void {
  process.umask(0o077);
  let lock: DatabaseSync | undefined;
  try {
    makeDirectory(directory);
    lock = new DatabaseSync(join(directory, 'lock'));
    lock.exec('PRAGMA busy_timeout = 0; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (error) {
    lock?.close();
    const { errcode, message } = error as Error & { errcode?: number };
    const why = errcode === SQLITE_BUSY ? 'is in use by another process' : `cannot be written: ${message}`;
    throw new DirectoryRefused(`DATA_DIR: "${directory}" ${why}`, { cause: error });
  }
  const { corrected, left } = makePrivate(directory);
  if (corrected + left > 0) {
    const open = `DATA_DIR: ${corrected + left} files and directories were open to other users of this machine`;
    log.warn({ directory, corrected, left }, `${open}; ${corrected} of them are private now`);
  }
  return () => lock.close();
}

/** With its parents, one by one: Node's own way of making them all never ends below /proc. */
function makeDirectory(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  if (!existsSync(dirname(path))) makeDirectory(dirname(path));
  mkdirSync(path, { mode: 0o700 });
}
