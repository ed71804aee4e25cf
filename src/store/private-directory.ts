import { closeSync, constants, fchmodSync, lstatSync, openSync, readdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';

/** What the service, its demo and its tools keep in the data directory. Other files there belong to somebody else. */
const OWN = ['database', 'database.new', 'chain', 'lock', 'lock-journal', 'demo.json', 'agents.json'];
/** The embedded database has some 1,000 files. */
const MAX_ENTRIES = 100_000;
const OTHERS = 0o077;
const STICKY = 0o1000;

export type Correction = {
  /** Files and directories that others could use. */
  readonly corrected: number;
  /** Those that they still can: they belong to another user, or are too many. */
  readonly left: number;
};

/**
 * Takes group and others the rights on a data directory and on what the service keeps there. The directory goes first, so
 * that nobody can exchange what is in it meanwhile. Symbolic links in it are not followed.
 */
export function makePrivate(dataDir: string): Correction {
  const directory = realpathSync(dataDir);
  let corrected = 0;
  let left = 0;
  const correct = (path: string): boolean => {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat === undefined || stat.isSymbolicLink()) return false;
    if ((stat.mode & OTHERS) !== 0) {
      if (takeRights(path, stat.mode & 0o700)) corrected++;
      else left++;
    }
    return stat.isDirectory();
  };
  // A directory with the sticky bit, such as /tmp, is meant for all; what the service keeps in it is not.
  if ((lstatSync(directory).mode & STICKY) === 0) correct(directory);
  const pending = OWN.map((name) => join(directory, name));
  for (let entries = 0; pending.length > 0 && entries < MAX_ENTRIES; entries++) {
    const path = pending.pop() as string;
    if (correct(path)) pending.push(...namesIn(path).map((name) => join(path, name)));
  }
  return { corrected, left: left + pending.length };
}

function takeRights(path: string, mode: number): boolean {
  let file: number | undefined;
  try {
    // By its descriptor: the path could lead to another file by now.
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
