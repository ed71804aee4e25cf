import { createHash } from 'node:crypto';
import {
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Compiled migrations, relative to the compiled place of this file. */
export const migrationsPath = fileURLToPath(new URL('../../schema/migrations', import.meta.url));

/**
 * Snapshot of an embedded database with all migrations applied, made by the build: `database/` and, in `key`, what it was
 * made from. A copy takes 50 ms. Initializing a database and migrating it takes 2 to 4 s.
 */
const snapshotPath = fileURLToPath(new URL('../../snapshot', import.meta.url));

/** Creates a migrated database in an empty directory and closes it. */
export type Initialize = (directory: string) => Promise<void>;

/**
 * Creates the directory of an embedded database unless it exists: as a copy of the snapshot, or without a current snapshot
 * by `initialize`. The directory gets its name when it is complete. What an interrupted start left is removed.
 */
export async function createDatabaseDirectory(
  directory: string,
  initialize: Initialize,
  snapshot = snapshotPath,
): Promise<void> {
  if (existsSync(directory) && readdirSync(directory).length > 0) return;
  const incomplete = `${directory}.new`;
  rmSync(incomplete, { recursive: true, force: true });
  mkdirSync(dirname(directory), { recursive: true, mode: 0o700 });
  if (isCurrent(snapshot)) copyPrivately(join(snapshot, 'database'), incomplete);
  else await initialize(incomplete);
  rmSync(directory, { recursive: true, force: true });
  renameSync(incomplete, directory);
}

/** Copies a directory for this user alone, whatever the rights on it: a snapshot is built for all users of a machine. */
function copyPrivately(from: string, to: string): void {
  mkdirSync(to, { mode: 0o700 });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) copyPrivately(source, target);
    else {
      copyFileSync(source, target, constants.COPYFILE_FICLONE);
      chmodSync(target, 0o600);
    }
  }
}

/** Makes the snapshot if it is missing or was made from other migrations. Returns whether it was made. */
export async function makeSnapshot(initialize: Initialize, snapshot = snapshotPath): Promise<boolean> {
  if (isCurrent(snapshot)) return false;
  rmSync(snapshot, { recursive: true, force: true });
  mkdirSync(snapshot, { recursive: true });
  await initialize(join(snapshot, 'database'));
  // The key is last: without it the snapshot does not count.
  writeFileSync(join(snapshot, 'key'), snapshotKey());
  return true;
}

export function isCurrent(snapshot = snapshotPath): boolean {
  try {
    return readFileSync(join(snapshot, 'key'), 'utf8') === snapshotKey();
  } catch {
    return false;
  }
}

/** Hash of the migrations' names and code, and of the version of the embedded database. */
export function snapshotKey(): string {
  const hash = createHash('sha256');
  const names = readdirSync(migrationsPath).filter((name) => name.endsWith('.js'));
  for (const name of names.sort()) hash.update(`${name}\n`).update(readFileSync(join(migrationsPath, name)));
  const manifest = join(dirname(createRequire(import.meta.url).resolve('@electric-sql/pglite')), '..', 'package.json');
  return hash.update(readFileSync(manifest)).digest('hex');
}
