import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { root } from '../test/support/service/process.js';

/** `imports` are the paths of the source files that a file imports, and the names of the packages. */
export type Source = { readonly path: string; readonly text: string; readonly imports: readonly string[] };

/** The paths of all `.ts` and `.tsx` files in a folder and the folders below it. */
export function filesUnder(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? filesUnder(path) : /\.tsx?$/.test(path) ? [path] : [];
  });
}

/** The path of a source file for an import, which names the compiled `.js` file. */
const sourceOf = (path: string): string =>
  path.replace(/\.js$/, existsSync(join(root, path.replace(/\.js$/, '.tsx'))) ? '.tsx' : '.ts');

const sourcesUnder = (folder: string): Source[] =>
  filesUnder(join(root, folder)).map((file) => {
    const path = relative(root, file);
    const text = readFileSync(file, 'utf8');
    const specifiers = [...text.matchAll(/\b(?:from\s+|import\s*\(?\s*)'([^']+)'/g)].map((match) => match[1] as string);
    const imports = specifiers.map((name) => (name.startsWith('.') ? sourceOf(normalize(join(dirname(path), name))) : name));
    return { path, text, imports };
  });

export const sources = sourcesUnder('src');
export const demoSources = sourcesUnder('demo');
/** The client is a separate package, but the rules of form in `lint/form.ts` hold for it, too. */
export const clientSources = sourcesUnder('client/src').filter(({ path }) => !path.includes('/generated/'));
/** The rules of form hold for the dashboard, too. */
export const webSources = sourcesUnder('web/src').filter(({ path }) => !path.includes('/generated/'));
const testSources = sourcesUnder('test');
const lintSources = sourcesUnder('lint');

/** The files and packages that the programs load when they start: what they import without `import()`, and not only as types. */
export function loadedBy(...programs: readonly string[]): ReadonlySet<string> {
  const loaded = new Set<string>();
  const known = [...sources, ...demoSources];
  const load = (path: string): void => {
    if (loaded.has(path)) return;
    loaded.add(path);
    const text = known.find((source) => source.path === path)?.text ?? '';
    for (const [, name = ''] of text.matchAll(/^(?:import|export)(?! type\b)(?:[^;]*? from)? '([^']+)';/gm))
      load(name.startsWith('.') ? normalize(join(dirname(path), name)).replace(/\.js$/, '.ts') : name);
  };
  for (const program of programs) load(program);
  return loaded;
}

/** The files, and all files below `test/` that they import directly or indirectly. */
function withImports(files: readonly Source[]): ReadonlySet<Source> {
  const byPath = new Map(testSources.map((source) => [source.path, source]));
  const found = new Set<Source>();
  const visit = (source: Source | undefined): void => {
    if (source === undefined || found.has(source)) return;
    found.add(source);
    for (const path of source.imports) visit(byPath.get(path));
  };
  for (const file of files) visit(file);
  return found;
}

const isNightly = ({ path }: Source): boolean => path.startsWith('test/nightly/');

const nightly = withImports(testSources.filter(isNightly));
const daily = withImports(testSources.filter((source) => source.path.endsWith('.test.ts') && !isNightly(source)));

/** The unit tests, and what they use. */
export const unitTests = [...withImports(testSources.filter(({ path }) => path.startsWith('test/unit/')))];

/**
 * The tests of `npm test` and `.ci/run`, and what they use, and the rules of `lint/`: all files except those that only nightly tests import. The programs
 * that a test starts are included, because no file imports them.
 */
export const dailyTests = [...lintSources, ...testSources.filter((source) => daily.has(source) || !nightly.has(source))];
