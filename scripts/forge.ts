import { type SpawnSyncOptions, type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';

type Options = {
  /** Directory with `contracts/foundry.toml`. */
  readonly root: string;
  readonly stdio: SpawnSyncOptions['stdio'];
  /** Environment variables that override `contracts/foundry.toml`. @default none */
  readonly env?: Readonly<Record<string, string>>;
};

/** Runs a forge command and waits for it. */
export function runForge(args: readonly string[], { root, stdio, env }: Options): SpawnSyncReturns<string> {
  const run = spawnSync(forgeBinary(), [...args, '--root', root], {
    cwd: root,
    stdio,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    env: { ...process.env, FOUNDRY_CONFIG: 'contracts/foundry.toml', ...env },
  });
  const isMissing = run.error !== undefined && 'code' in run.error && run.error.code === 'ENOENT';
  if (isMissing) throw new Error('install Foundry so that forge is on the PATH');
  return run;
}

/** Path of forge from the npm package for this platform, else `forge` on the PATH. */
function forgeBinary(): string {
  const packageName = `@foundry-rs/forge-${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`;
  try {
    return createRequire(import.meta.url).resolve(`${packageName}/bin/forge`);
  } catch {
    return 'forge';
  }
}
