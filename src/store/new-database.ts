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

/** Directory of the compiled migrations, relative to this compiled file. */
export const migrationsPath = fileURLToPath(new URL('../../schema/migrations', import.meta.url));

/**
 * Snapshot of an embedded database with all migrations applied, created by the build. `database/` contains the data, `key`
 * a hash of the migrations. Copying takes 50 ms. Creating and migrating a database takes 2 to 4 s.
 */
const snapshotPath = fileURLToPath(new URL('../../snapshot', import.meta.url));

/** Creates a migrated database in an empty directory and closes it. */
export type Initialize = (directory: string) => Promise<void>;

/**
 * Creates the directory of an embedded database unless it exists. Copies the snapshot if it is current, else calls `initialize`.
 * Builds the database in another directory and renames that at the end, so that an interrupted start leaves no incomplete database.
 */
export async function createDatabaseDirectory(directory: string, initialize: Initialize, snapshot = snapshotPath): Promise<void> {
  if (existsSync(directory) && readdirSync(directory).length > 0) return;
  const incomplete = `${directory}.new`;
  rmSync(incomplete, { recursive: true, force: true });
  mkdirSync(dirname(directory), { recursive: true, mode: 0o700 });
  if (isCurrent(snapshot)) copyPrivately(join(snapshot, 'database'), incomplete);
  else await initialize(incomplete);
  rmSync(directory, { recursive: true, force: true });
  renameSync(incomplete, directory);
}

/** Copies a directory, readable by this user only. The snapshot itself is readable by all users of the machine. */
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

/** Creates the snapshot if there is none, or if its migrations are outdated. Returns whether it created a snapshot. */
export async function createSnapshot(initialize: Initialize, snapshot = snapshotPath): Promise<boolean> {
  if (isCurrent(snapshot)) return false;
  rmSync(snapshot, { recursive: true, force: true });
  mkdirSync(snapshot, { recursive: true });
  await initialize(join(snapshot, 'database'));
  // The key is written last: a snapshot without a key is incomplete.
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

/** Names of all migrations, oldest first. */
export const migrationNames = (): string[] =>
  readdirSync(migrationsPath)
    .filter((name) => name.endsWith('.js'))
    .map((name) => name.slice(0, -'.js'.length))
    .sort();

/** Hash of the names and the code of all migrations, and of the version of the embedded database. */
function snapshotKey(): string {
  const hash = createHash('sha256');
  for (const name of migrationNames()) hash.update(`${name}.js\n`).update(readFileSync(join(migrationsPath, `${name}.js`)));
  const manifest = join(dirname(createRequire(import.meta.url).resolve('@electric-sql/pglite')), '..', 'package.json');
  return hash.update(readFileSync(manifest)).digest('hex');
}
