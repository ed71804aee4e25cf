import { closeSync, constants, fchmodSync, lstatSync, openSync, readdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';

/** Entries of the data directory that the service, the demo and the commands create. Other files are not touched. */
const ENTRIES = ['database', 'database.new', 'chain', 'lock', 'lock-journal', 'demo.json', 'agents.json'];
/** Maximum number of entries to check. The embedded database has about 1,000 files. */
const MAX_ENTRIES = 100_000;
const OTHERS = 0o077;
const STICKY = 0o1000;

export type Correction = {
  /** Files and directories whose permissions were corrected. */
  readonly corrected: number;
  /** Entries still accessible to other users: owned by another user, or beyond the maximum. */
  readonly uncorrected: number;
};

/**
 * Removes the permissions of group and others from a data directory and its entries. The directory comes first, so that no
 * other user can exchange its entries meanwhile. Symbolic links are not followed.
 */
export function makePrivate(dataDir: string): Correction {
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
  // Users share a directory with the sticky bit, such as /tmp, on purpose. Only the entries in it are made private.
  if ((lstatSync(directory).mode & STICKY) === 0) correct(directory);
  const pending = ENTRIES.map((name) => join(directory, name));
  for (let entries = 0; pending.length > 0 && entries < MAX_ENTRIES; entries++) {
    const path = pending.pop() as string;
    if (correct(path)) pending.push(...namesIn(path).map((name) => join(path, name)));
  }
  return { corrected, uncorrected: uncorrected + pending.length };
}

function removeRights(path: string, mode: number): boolean {
  let file: number | undefined;
  try {
    // fchmod on a descriptor: the path could be replaced by a link between the check and the change.
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
