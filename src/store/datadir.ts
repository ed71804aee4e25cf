import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Another process holds the directory. */
export class DirectoryInUse extends Error {}

/**
 * Takes the data directory for this process; returns what gives it back. The embedded database locks nothing itself, so
 * a second process would corrupt it. The lock is SQLite's on an empty file: one that the system drops when its holder
 * dies, however it dies, so that there is no stale lock to judge.
 */
export function lockDirectory(directory: string): () => void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const lock = new DatabaseSync(join(directory, 'lock'));
  try {
    lock.exec('PRAGMA busy_timeout = 0; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    throw new DirectoryInUse(`DATA_DIR: "${directory}" is in use by another process`, { cause: error });
  }
  return () => lock.close();
}
