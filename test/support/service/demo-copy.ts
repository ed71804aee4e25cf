import { cpSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtDemo } from './demo.js';
import { eventually, freshDirectory } from './process.js';

/** Building the demo market takes half a minute, so all processes of one test run share one. */
const template = join(tmpdir(), 'curvet-demo-market');

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

async function sharedMarket(): Promise<void> {
  if (existsSync(template)) return;
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
