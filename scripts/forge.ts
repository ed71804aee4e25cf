import { type SpawnSyncOptions, type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { join } from 'node:path';

const tool = join(import.meta.dirname, '..', '..', 'bin', 'tool');

type Options = {
  /** Directory with `contracts/foundry.toml`. */
  readonly root: string;
  readonly stdio: SpawnSyncOptions['stdio'];
  /** Environment variables that override `contracts/foundry.toml`. @default none */
  readonly env?: Readonly<Record<string, string>>;
};

/** Runs a forge command and waits for it. */
export function runForge(args: readonly string[], { root, stdio, env }: Options): SpawnSyncReturns<string> {
  return spawnSync(tool, ['forge', ...args, '--root', root], {
    cwd: root,
    stdio,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    env: { ...process.env, FOUNDRY_CONFIG: 'contracts/foundry.toml', ...env },
  });
}
