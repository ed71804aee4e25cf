// Sizes of the dashboard's scripts, compressed with brotli. `npm run web:sizes` prints them.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pages } from '../web/src/pages.js';
import { FIRST_THEME } from './dashboard.js';

const output = join(import.meta.dirname, '..', 'dashboard');

type Chunk = {
  readonly file: string;
  readonly imports?: readonly string[];
  readonly dynamicImports?: readonly string[];
};
type Manifest = Readonly<Record<string, Chunk>>;

/**
 * Compressed bytes of a page's scripts. `first`: what its first view loads. `all`: also what it can load later, such as the chart.
 */
export type PageSize = { readonly first: number; readonly all: number };

export function dashboardSizes(): Readonly<Record<string, PageSize>> {
  const manifest = JSON.parse(readFileSync(join(output, 'manifest.json'), 'utf8')) as Manifest;
  const entry = reach(manifest, ['index.html', FIRST_THEME], []);
  const sized = pages.map(({ folder }) => {
    const start = [`src/pages/${folder}/page.tsx`];
    const first = new Set([...entry, ...reach(manifest, start, [])]);
    const all = new Set([...first, ...reach(manifest, start, ['dynamicImports'])]);
    return [folder, { first: sum(manifest, first), all: sum(manifest, all) }];
  });
  return Object.fromEntries(sized);
}

/** The given chunks and all chunks that they import. With `also`, it also includes the chunks that they load later. */
function reach(manifest: Manifest, from: readonly string[], also: readonly 'dynamicImports'[]): Set<string> {
  const reached = new Set<string>();
  const open = [...from];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (reached.has(name)) continue;
    reached.add(name);
    const chunk = manifest[name];
    if (chunk === undefined) throw new Error(`the build has no ${name}`);
    open.push(...(chunk.imports ?? []));
    // The main script, index.html, names every page as a later import. These pages are left out, because a page does not load the
    // others.
    if (name !== 'index.html') for (const kind of also) open.push(...(chunk[kind] ?? []));
  }
  return reached;
}

const sum = (manifest: Manifest, names: ReadonlySet<string>): number => {
  const files = new Set([...names].map((name) => manifest[name]?.file ?? ''));
  return [...files]
    .filter((file) => file.endsWith('.js'))
    .reduce((total, file) => total + statSync(join(output, `${file}.br`)).size, 0);
};

if (process.argv[1] === import.meta.filename) {
  for (const [folder, { first, all }] of Object.entries(dashboardSizes())) {
    process.stdout.write(`${folder.padEnd(12)} ${(first / 1024).toFixed(1)} KB, at most ${(all / 1024).toFixed(1)} KB\n`);
  }
}
