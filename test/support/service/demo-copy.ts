import { cpSync, existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtDemo } from './demo.js';
import { eventually, freshDirectory } from './process.js';

/** Building the demo market takes half a minute, so all processes of one test run share one. */
const templateOf = (run: number): string => join(tmpdir(), `curvet-demo-market-${run}`);
/** Worker processes of a test run have the same parent. */
const template = templateOf(process.ppid);
/** An interrupted run may leave a market of an earlier day, which is not used. */
const MAX_AGE_MS = 3_600_000;

/** A data directory with the demo market of today, of which the caller may change anything. */
export async function demoCopy(): Promise<string> {
  await sharedMarket();
  const directory = freshDirectory('curvet-demo-');
  // The copy must be readable by this user only. Otherwise the service corrects its permissions and logs a warning.
  const umask = process.umask(0o077);
  cpSync(template, directory, { recursive: true });
  process.umask(umask);
  return directory;
}

/** Whether there is a market of this run. Deletes an old one. */
function isCurrent(): boolean {
  const built = statSync(template, { throwIfNoEntry: false })?.mtimeMs;
  if (built !== undefined && built > Date.now() - MAX_AGE_MS) return true;
  const locked = statSync(`${template}.lock`, { throwIfNoEntry: false })?.mtimeMs;
  if (built !== undefined || (locked !== undefined && locked < Date.now() - MAX_AGE_MS)) deleteSharedMarket();
  return false;
}

async function sharedMarket(): Promise<void> {
  if (isCurrent()) return;
  const lock = `${template}.lock`;
  try {
    mkdirSync(lock);
  } catch {
    // Another process builds the market.
    return eventually(() => existsSync(template), 'the demo market was not built');
  }
  try {
    renameSync(await builtDemo(new Date()), template);
  } catch (error) {
    rmSync(lock, { recursive: true, force: true });
    throw error;
  }
}

/** Deletes the market of the test run whose process calls this, or of its parent. */
export function deleteSharedMarket(): void {
  for (const run of [process.pid, process.ppid]) {
    for (const path of [templateOf(run), `${templateOf(run)}.lock`]) rmSync(path, { recursive: true, force: true });
  }
}
