import { cpSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from '../support/service/process.js';
import { run } from './run.js';

/**
 * Makes a folder of the calling suite, in which these packages of `tools/` and `curvet-client` are installed. The client is a copy: a
 * link would look for its peers in the repository.
 */
export function useProject(name: string, packages: readonly string[]): string {
  const folder = join(root, 'dist', `${name}-${process.pid}`);
  before(async () => {
    await run('bin/tool', 'true');
    const modules = join(folder, 'node_modules');
    for (const path of packages) {
      mkdirSync(dirname(join(modules, path)), { recursive: true });
      symlinkSync(join(root, 'tools', 'node_modules', path), join(modules, path));
    }
    for (const part of ['package.json', 'dist'])
      cpSync(join(root, 'client', part), join(modules, 'curvet-client', part), { recursive: true });
  });
  after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
