import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { childEnvironment } from '../../support/processes.js';
import type { Json } from '../../support/service/graphql.js';
import { root } from '../../support/service/process.js';

/** Runs a program of the repository, such as `bin/tool`, and returns its output. Throws its output if it fails. */
export async function run(program: string, ...args: readonly string[]): Promise<string> {
  const env = childEnvironment({ REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' });
  try {
    return (await promisify(execFile)(join(root, program), args, { cwd: root, env, maxBuffer: 1e8 })).stdout;
  } catch (error) {
    const { stdout, stderr } = error as { readonly stdout: string; readonly stderr: string };
    throw new Error(`${program} ${args.join(' ')} failed: ${stdout}${stderr}`);
  }
}

/** The packages of tools/, which include the GraphQL clients. */
const PACKAGES = join(root, 'tools', 'node_modules');
// Address of the service in the recipes. A project gets the address of the test service instead.
const ADDRESS = '127.0.0.1:4000';
/**
 * Beginning of the names of the folders with compiled recipes. `holdTimers` (graphql-line.ts) looks for it in stack traces, to find
 * the timers that a recipe sets.
 */
export const FOLDER = 'graphql-clients-';

/** The strictest compiler options of a project. A recipe must compile with all of them. */
const strictest = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noImplicitReturns: true,
  noImplicitOverride: true,
  noPropertyAccessFromIndexSignature: true,
  noFallthroughCasesInSwitch: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
  allowUnreachableCode: false,
  allowUnusedLabels: false,
  verbatimModuleSyntax: true,
  isolatedModules: true,
  erasableSyntaxOnly: true,
  noUncheckedSideEffectImports: true,
  forceConsistentCasingInFileNames: true,
};
// The usual strict compiler options, with which everything is compiled.
const compilerOptions = {
  strict: true,
  noUncheckedIndexedAccess: true,
  noImplicitReturns: true,
  skipLibCheck: true,
  target: 'ES2023',
  lib: ['ES2023', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable'],
  types: [],
  module: 'ESNext',
  moduleResolution: 'bundler',
  resolveJsonModule: true,
  outDir: 'out',
  rootDir: '.',
};

/** The code blocks of docs/graphql.md that have a file name. */
export function recipes(): ReadonlyMap<string, string> {
  const document = readFileSync(join(root, 'docs', 'graphql.md'), 'utf8');
  return new Map([...document.matchAll(/^```\w+ (\S+)\n([\s\S]*?)^```$/gm)].map(([, name = '', text = '']) => [name, text]));
}

export type Project = Awaited<ReturnType<typeof newProject>>;

/**
 * Creates a project from recipes and other files, with the packages of tools/. Generates what the clients need, checks the recipes
 * with the strictest compiler options, and compiles everything with the usual strict ones.
 */
export async function newProject(
  address: string,
  names: readonly string[],
  others: Readonly<Record<string, string>> = {},
  generate?: (folder: string) => Promise<unknown>,
) {
  const folder = join(root, 'dist', `${FOLDER}${process.pid}-${++count}`);
  made.push(folder);
  const known = recipes();
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  };
  for (const name of names) {
    const text = known.get(name);
    if (text === undefined) throw new Error(`docs/graphql.md has no ${name}`);
    write(name, text.replaceAll(ADDRESS, new URL(address).host));
  }
  for (const [name, text] of Object.entries(others)) write(name, text);
  write('package.json', '{ "type": "commonjs" }');
  write('tsconfig.json', JSON.stringify({ compilerOptions, include: ['*.ts', 'src'] }));
  write('strictest.json', JSON.stringify({ extends: './tsconfig.json', compilerOptions: { ...strictest, noEmit: true } }));
  symlinkSync(PACKAGES, join(folder, 'node_modules'));
  if (names.includes('codegen.ts')) await runIn(folder, 'graphql-codegen', '--config', 'codegen.ts');
  if (names.includes('relay.config.json')) await compileRelay(folder);
  await generate?.(folder);
  if (names.length > 0) await typescript('-p', join(folder, 'strictest.json'));
  if (names.includes('relay.config.json')) insertArtifacts(folder);
  // Compiles to CommonJS, so that all libraries find the same copy of `graphql` in tools/.
  await typescript('-p', folder, '--module', 'CommonJS');
  const load = createRequire(join(folder, 'out', 'package.json'));
  return {
    /** Loads a compiled file, such as `src/apollo`, or a package. */
    load: (file: string): Json => load(file.startsWith('src/') ? `./${file}` : file),
    folder,
  };
}
let count = 0;

export function removeProjects(): void {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
}
const made: string[] = [];

const runIn = (folder: string, program: string, ...args: readonly string[]): Promise<string> =>
  run('bin/tool', 'sh', '-c', 'cd "$0" && exec "$@"', folder, program, ...args);

const typescript = (...args: readonly string[]): Promise<string> =>
  run('bin/node', join(root, 'node_modules', 'typescript', 'bin', 'tsc'), ...args);

async function compileRelay(folder: string): Promise<void> {
  writeFileSync(join(folder, 'schema.graphql'), readFileSync(join(root, 'schema', 'schema.graphql')));
  await runIn(folder, 'relay-compiler', 'relay.config.json');
}

/** Replaces the documents in the source by what relay-compiler generated, as Relay's plugin for bundlers does. */
function insertArtifacts(folder: string): void {
  for (const file of readdirSync(join(folder, 'src')).filter((name) => name.endsWith('.ts'))) {
    const path = join(folder, 'src', file);
    const imports: string[] = [];
    const text = readFileSync(path, 'utf8').replace(
      /graphql`\s*(?:query|fragment|mutation|subscription) (\w+)[^`]*`/g,
      (_, name) => {
        imports.push(`import ${name}_artifact from './__generated__/${name}.graphql';`);
        return `${name}_artifact`;
      },
    );
    writeFileSync(path, [...imports, text].join('\n'));
  }
}
