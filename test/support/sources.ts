import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { root } from './service/process.js';

export type Source = { readonly path: string; readonly text: string; readonly imports: readonly string[] };

export function filesUnder(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? filesUnder(path) : /\.tsx?$/.test(path) ? [path] : [];
  });
}

/** The source that an import of a compiled file names. */
const sourceOf = (path: string): string =>
  path.replace(/\.js$/, existsSync(join(root, path.replace(/\.js$/, '.tsx'))) ? '.tsx' : '.ts');

const sourcesUnder = (folder: string): Source[] =>
  filesUnder(join(root, folder)).map((file) => {
    const path = relative(root, file);
    const text = readFileSync(file, 'utf8');
    const specifiers = [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map((match) => match[1] as string);
    const imports = specifiers.map((name) =>
      name.startsWith('.') ? sourceOf(normalize(join(dirname(path), name))) : name,
    );
    return { path, text, imports };
  });

export const sources = sourcesUnder('src');
/** The client is a package of its own. The same rules of form hold for it. */
export const clientSources = sourcesUnder('client/src').filter(({ path }) => !path.includes('/generated/'));
/** The rules of form hold for the dashboard, too. */
export const webSources = sourcesUnder('web/src').filter(({ path }) => !path.includes('/generated/'));
export const testSources = sourcesUnder('test');
