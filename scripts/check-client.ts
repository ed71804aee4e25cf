// Checks the package of the client as others get it: its form, its types and its size. With --install also its tarball in an
// empty directory, which needs the npm registry.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const root = join(import.meta.dirname, '..', '..');
const client = join(root, 'client');
/** Maximum sizes after gzip, in bytes: of what a program loads that does not trade, and of all code together. */
const MAX_BYTES = { core: 10_240, all: 16_384 };
/** The other wallet library that the client supports. */
const VIEM = 'viem@2.57.20';

const directory = mkdtempSync(join(tmpdir(), 'curvet-client-'));
try {
  const tarball = pack();
  run('publint', ['publint', 'run', '--strict', tarball]);
  run('types', ['attw', '--profile', 'esm-only', '--quiet', tarball]);
  await checkSize();
  if (process.argv.includes('--install')) checkInstallation(tarball);
} finally {
  rmSync(directory, { recursive: true, force: true });
}

function pack(): string {
  const [made] = JSON.parse(
    execute('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', directory], client),
  );
  report('tarball', `${made.entryCount} files, ${made.size} bytes`);
  return join(directory, made.filename);
}

/** Runs a program of the development dependencies. */
function run(name: string, [program = '', ...args]: readonly string[]): void {
  execute(join(root, 'node_modules', '.bin', program), args, client);
  report(name, 'ok');
}

async function checkSize(): Promise<void> {
  const { build } = await import('esbuild');
  const { outputFiles, metafile } = await build({
    entryPoints: [join(client, 'dist', 'curvet.js')],
    ...{ bundle: true, minify: true, splitting: true, format: 'esm', write: false, metafile: true },
    ...{ outdir: directory, absWorkingDir: directory },
  });
  const sizes = new Map(outputFiles.map(({ path, contents }) => [path, gzipSync(contents, { level: 9 }).length]));
  const [entry] = Object.entries(metafile.outputs).filter(([, { entryPoint }]) => entryPoint?.endsWith('curvet.js'));
  const [path = '', { imports } = { imports: [] }] = entry ?? [];
  const loaded = [path, ...imports.filter(({ kind }) => kind === 'import-statement').map((each) => each.path)];
  const core = sum(loaded.map((each) => sizes.get(join(directory, each)) ?? Number.NaN));
  const all = sum([...sizes.values()]);
  report('size', `${core} bytes, with trading ${all} (gzip)`);
  if (!(core <= MAX_BYTES.core && all <= MAX_BYTES.all)) fail(`the size exceeds ${JSON.stringify(MAX_BYTES)}`);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** Uses the tarball as a stranger does: from ESM and from TypeScript, with ethers and with viem. */
function checkInstallation(tarball: string): void {
  const project = join(directory, 'project');
  cpSync(join(client, 'test-package'), project, { recursive: true });
  const npm = ['install', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts', '--save-exact'];
  execute('npm', [...npm, tarball, VIEM], project);
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  for (const config of ['tsconfig.browser.json', 'tsconfig.node.json']) {
    execute(process.execPath, [tsc, '-p', config], project);
    report(config, 'ok');
  }
  report('ESM', execute(process.execPath, ['use.mjs'], project).trim());
  const { version } = JSON.parse(readFileSync(join(client, 'package.json'), 'utf8'));
  const printed = execute(
    process.execPath,
    [join(project, 'node_modules/curvet-client/bin/curvet.js'), '--version'],
    project,
  );
  if (printed.trim() !== version) fail(`curvet --version printed ${printed}`);
  report('curvet', version);
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
