// Second step of the build: names the commit, copies the Markdown files that the service reads, and creates files that need
// development tools, namely the database snapshot, the GraphQL editor and the dashboard. Skips created files that are current.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { graphqlExamples } from '../src/features/guides/graphql-examples.js';
import { createSnapshot, isCurrent } from '../src/store/new-database.js';
import { buildDashboard } from './dashboard.js';
import { readIfPresent } from './read-if-present.js';

const root = join(import.meta.dirname, '..', '..');

writeFileSync(join(root, 'dist', 'commit'), commit());
copyMarkdown('src/features/guides');
if (!isCurrent()) await createSnapshot((await import('../src/store/database.js')).initializeEmbedded);
await createEditor(join(import.meta.dirname, '..', 'graphiql'));
await buildDashboard();

/** The commit that is built: COMMIT, which containers set because they have no repository, or the checked-out commit. */
function commit(): string {
  if (process.env.COMMIT || !existsSync(join(root, '.git'))) return process.env.COMMIT ?? '';
  return spawnSync('git', ['-C', root, 'rev-parse', 'HEAD'], { encoding: 'utf8' }).stdout?.trim() ?? '';
}

function copyMarkdown(folder: string): void {
  const filter = (path: string): boolean => path.endsWith('.md') || statSync(path).isDirectory();
  cpSync(join(root, folder), join(root, 'dist', folder), { recursive: true, filter });
}

/**
 * Creates the GraphQL editor: a page, and its script of 9 MB in another file, because the security policy forbids inline scripts.
 */
async function createEditor(directory: string): Promise<void> {
  const options = {
    title: 'Curvet GraphQL',
    endpoint: '/graphql',
    defaultTabs: graphqlExamples.map(({ title, query }) => ({ query: `# ${title}\n${query}\n` })),
    defaultQuery: `# ${graphqlExamples[0]?.title}\n${graphqlExamples[0]?.query}\n`,
    // With SSE, subscriptions are HTTP requests. So they have the headers that the user sets in the editor, such as the API key.
    subscriptionsProtocol: 'SSE',
    shouldPersistHeaders: false,
  };
  const manifest = readFileSync(createRequire(import.meta.url).resolve('@graphql-yoga/render-graphiql/package.json'));
  const key = createHash('sha256').update(manifest).update(JSON.stringify(options)).digest('hex');
  if (readIfPresent(join(directory, 'key')) === key) return;
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql');
  const rendered = renderGraphiQL(options as Parameters<typeof renderGraphiQL>[0]);
  const [open, close] = ['<script>', '</script>'];
  const [start, end] = [rendered.indexOf(open), rendered.lastIndexOf(close)];
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'script.js'), rendered.slice(start + open.length, end));
  // The service replaces `<!-- script -->` by a link to the script.
  writeFileSync(join(directory, 'page.html'), `${rendered.slice(0, start)}<!-- script -->${rendered.slice(end + close.length)}`);
  writeFileSync(join(directory, 'key'), key);
}
