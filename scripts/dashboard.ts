// Builds the dashboard: the scripts, styles and documents in dist/dashboard, each also compressed.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip, constants as zlib } from 'node:zlib';
import { withFragments } from '../web/src/graphql/document.js';
import { pages } from '../web/src/pages.js';
import { texts } from '../web/src/texts.js';
import { iconOf } from './favicon.js';
import { licenses } from './licenses.js';
import { readIfPresent } from './read-if-present.js';

const root = join(import.meta.dirname, '..', '..');
const output = join(root, 'dist', 'dashboard');

/** Files outside web/ that the build reads. */
const SHARED = ['package-lock.json', 'scripts/favicon.ts', 'src/values/money.ts', 'src/values/curve.ts'];

/** The script that applies the theme before the first paint. */
export const FIRST_THEME = 'src/shell/first-theme.ts';

/** The document that is served for a path that no page has. */
const NOT_FOUND = 'documents/not-found.html';

type Chunk = { readonly file: string; readonly css?: readonly string[]; readonly imports?: readonly string[] };
type Manifest = Readonly<Record<string, Chunk>>;

/** Builds the dashboard, unless its sources have not changed since the last build. */
export async function buildDashboard(): Promise<void> {
  const key = keyOfSources();
  if (readIfPresent(join(output, 'key')) === key) return;
  const { build } = await import('vite');
  await build({ configFile: join(root, 'web', 'vite.config.ts'), logLevel: 'warn' });
  const documents = {
    ...writeDocuments(),
    '/licenses.txt': 'documents/licenses.txt',
    '/favicon.ico': 'documents/favicon.ico',
  };
  writeFileSync(join(output, 'documents/licenses.txt'), licenses());
  const icon = readFileSync(join(root, 'web/src/styles/icon.svg'), 'utf8');
  writeFileSync(join(output, 'documents/favicon.ico'), await iconOf(icon));
  const assets = readdirSync(join(output, 'assets')).map((name) => `assets/${name}`);
  // Paths that contain a secret, such as the code of a claim. The service keeps them out of search engines.
  const unlisted = pages.filter(({ isPrivate }) => isPrivate).map(({ path }) => path);
  await Promise.all([...new Set(Object.values(documents)), NOT_FOUND, ...assets].map(compress));
  writeFileSync(
    join(output, 'files.json'),
    JSON.stringify({ documents, assets, unlisted, queries: queriesOf(join(root, 'web/src')) }),
  );
  writeFileSync(join(output, 'key'), key);
}

function keyOfSources(): string {
  const sources = readdirSync(join(root, 'web'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'))
    .map((entry) => join(entry.parentPath, entry.name));
  const files = [...SHARED.map((path) => join(root, path)), import.meta.filename, ...sources].sort();
  const hash = createHash('sha256');
  for (const file of files) hash.update(file.slice(root.length)).update('\0').update(readFileSync(file)).update('\0');
  return hash.digest('hex');
}

/** The GraphQL documents in the sources, with their fragments, as the pages send them. */
function queriesOf(folder: string): string[] {
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => /\.tsx?$/.test(path));
  const texts = sources.flatMap((path) =>
    [...readFileSync(join(folder, path), 'utf8').matchAll(/\bgraphql\(\s*`([^`]*)`/g)].map(([, text = '']) => text),
  );
  const fragments = new Map(texts.map((text) => [/^\s*fragment (\w+)/.exec(text)?.[1], text]));
  const fragmentsIn = (text: string): string[] =>
    [...text.matchAll(/\.\.\.(\w+)/g)].flatMap(([, name]) => {
      const fragment = fragments.get(name);
      return fragment === undefined ? [] : [fragment, ...fragmentsIn(fragment)];
    });
  return texts.filter((text) => !/^\s*fragment /.test(text)).map((text) => withFragments(text, fragmentsIn(text)));
}

/** Writes one document per page, with its title and with links to all files of its first view. Returns them by path. */
function writeDocuments(): Record<string, string> {
  const template = readFileSync(join(output, 'index.html'), 'utf8');
  const manifest = JSON.parse(readFileSync(join(output, 'manifest.json'), 'utf8')) as Manifest;
  const font = readdirSync(join(output, 'assets')).find((name) => name.endsWith('.woff2'));
  const preload = `<link rel="preload" as="font" type="font/woff2" crossorigin href="/assets/${font}">`;
  // The theme script has no `type`, so the browser runs it before it reads on, and thus before it paints.
  const theme = `<script src="/${manifest[FIRST_THEME]?.file}"></script>`;
  const write = (file: string, title: string, links: readonly string[]) => {
    const html = template
      .replace(/<title>.*<\/title>/, `<title>${title} · ${texts.name}</title>`)
      .replace('<title>', `${theme}\n    <title>`)
      .replace('</head>', `${[...links, preload].map((link) => `  ${link}\n`).join('')}  </head>`);
    mkdirSync(dirname(join(output, file)), { recursive: true });
    writeFileSync(join(output, file), html);
  };
  write(NOT_FOUND, texts.notFound.title, []);
  const written = pages.map(({ path, folder, title }) => {
    const links = linksOf(manifest, `src/pages/${folder}/page.tsx`).filter((link) => !template.includes(link));
    const file = `documents/${folder}.html`;
    write(file, title, links);
    return [path, file];
  });
  return Object.fromEntries(written);
}

/** Links to the files of a page. The browser loads them while it still reads the main script. */
function linksOf(manifest: Manifest, name: string, seen = new Set<string>()): string[] {
  if (seen.has(name)) return [];
  seen.add(name);
  const chunk = manifest[name];
  if (chunk === undefined) throw new Error(`the build has no ${name}`);
  const own = chunk.file.endsWith('.js') ? [`<link rel="modulepreload" crossorigin href="/${chunk.file}">`] : [];
  const styles = (chunk.css ?? []).map((file) => `<link rel="stylesheet" crossorigin href="/${file}">`);
  // The main script, index.html, is in every document already.
  const imported = (chunk.imports ?? []).filter((one) => !one.endsWith('.html')).flatMap((one) => linksOf(manifest, one, seen));
  return [...imported, ...own, ...styles];
}

async function compress(file: string): Promise<void> {
  const bytes = readFileSync(join(output, file));
  const params = { [zlib.BROTLI_PARAM_QUALITY]: zlib.BROTLI_MAX_QUALITY, [zlib.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  writeFileSync(join(output, `${file}.br`), await promisify(brotliCompress)(bytes, { params }));
  writeFileSync(join(output, `${file}.gz`), await promisify(gzip)(bytes, { level: 9 }));
}
