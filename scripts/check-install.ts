// Installs clones of the last commit, and starts the service from them:
// - with --ignore-scripts, because no package may need a script at its installation
// - with --omit=dev, and the build of the first clone, as the Dockerfile does
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { root } from './supply-chain.js';

/** Maximum time until the service is ready, in milliseconds. Then it is ended, and the check fails. */
const READY_MS = 60_000;
const INSTALL = ['ci', '--prefer-offline', '--no-audit', '--no-fund'];

const directory = mkdtempSync(join(tmpdir(), 'curvet-install-'));
try {
  if (spawnSync('npm', ['ping'], { cwd: root }).status === 0) await checkBoth();
  else report('install', 'left out, because the registry does not answer');
} finally {
  rmSync(directory, { recursive: true, force: true });
}

async function checkBoth(): Promise<void> {
  const built = clone('ignore-scripts');
  npm(built, [...INSTALL, '--ignore-scripts']);
  npm(built, ['run', 'build']);
  await start(built);
  report('--ignore-scripts', 'installs, builds and starts');

  const production = clone('omit-dev');
  npm(production, [...INSTALL, '--omit=dev']);
  for (const part of ['src', 'schema', 'graphiql']) {
    cpSync(join(built, 'dist', part), join(production, 'dist', part), { recursive: true });
  }
  await start(production);
  report('--omit=dev', `installs ${sizeOf(join(production, 'node_modules'))}, and starts with the build of the other`);
}

function clone(name: string): string {
  const target = join(directory, name);
  execFileSync('git', ['clone', '--quiet', root, target]);
  return target;
}

function npm(cwd: string, args: readonly string[]): void {
  const { status, stdout, stderr } = spawnSync('npm', args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`npm ${args.join(' ')} failed:\n${stdout}${stderr}`);
}

/** Starts the service with an empty data directory, calls /ready, and stops it. */
async function start(cwd: string): Promise<void> {
  const data = mkdtempSync(join(directory, 'data-'));
  const env = { ...process.env, PORT: '0', HOST: '127.0.0.1', DATA_DIR: data, LOG_LEVEL: 'warn' };
  const service = spawn(join(cwd, 'bin', 'node'), ['dist/src/main.js'], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: READY_MS,
  });
  const exited = once(service, 'exit');
  try {
    for await (const line of createInterface(service.stdout)) {
      const url = /ready at ([^\s"]+)/.exec(line)?.[1];
      if (url === undefined) continue;
      const { status } = await fetch(`${url}/ready`);
      if (status !== 200) throw new Error(`/ready answers ${status}`);
      return;
    }
    throw new Error('the service has exited');
  } finally {
    service.kill('SIGTERM');
    await exited;
  }
}

function sizeOf(path: string): string {
  return `${execFileSync('du', ['-sm', path], { encoding: 'utf8' }).split('\t')[0]} MB`;
}

function report(name: string, what: string): void {
  process.stdout.write(`${name.padEnd(18)} ${what}\n`);
}
