// The second step of the build: what the service needs and only development tools can make. Each part is made when it is
// missing or not current, since every build runs this.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { examples } from '../src/faces/graphql/editor/examples.js';
import { isCurrent, makeSnapshot } from '../src/store/new-database.js';

if (!isCurrent()) await makeSnapshot((await import('../src/store/database.js')).initializeEmbedded);
await makeEditor(join(import.meta.dirname, '..', 'graphiql'));

/** The GraphQL editor: 9 MB of script, and the page without it, since no inline script is allowed. */
async function makeEditor(directory: string): Promise<void> {
  const options = {
    title: 'Curvet GraphQL',
    endpoint: '/graphql',
    defaultTabs: examples.map(({ title, query }) => ({ query: `# ${title}\n${query}\n` })),
    defaultQuery: `# ${examples[0]?.title}\n${examples[0]?.query}\n`,
    // Its subscriptions are requests like any other, with the headers of the tab.
    subscriptionsProtocol: 'SSE',
    shouldPersistHeaders: false,
  };
  const manifest = readFileSync(createRequire(import.meta.url).resolve('@graphql-yoga/render-graphiql/package.json'));
  const key = createHash('sha256').update(manifest).update(JSON.stringify(options)).digest('hex');
  if (read(join(directory, 'key')) === key) return;
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql');
  const whole = renderGraphiQL(options as Parameters<typeof renderGraphiQL>[0]);
  const [open, close] = ['<script>', '</script>'];
  const [start, end] = [whole.indexOf(open), whole.lastIndexOf(close)];
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'script.js'), whole.slice(start + open.length, end));
  writeFileSync(
    join(directory, 'page.html'),
    `${whole.slice(0, start)}<!-- script -->${whole.slice(end + close.length)}`,
  );
  writeFileSync(join(directory, 'key'), key);
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
