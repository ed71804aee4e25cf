import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import type Router from '@koa/router';
import type { Context } from 'koa';
import type { Deps } from '../../deps.js';
import { type Asset, encodingFor, hashedAsset, sendAsset, textAsset } from '../../server/http/assets.js';
import { joined, markup } from '../../server/http/html.js';
import { problemOf } from '../../server/http/problem.js';
import { once } from '../../tasks.js';
import { type FirstQuery, type FirstView, firstViews, type Head } from './first-views.js';

/**
 * Content of `dist/dashboard/files.json`, which the build writes: the document of each path, the files that the documents load,
 * the paths that contain a secret, such as the code of a claim, and the GraphQL documents that the pages send.
 */
type Built = {
  readonly documents: Readonly<Record<string, string>>;
  readonly assets: readonly string[];
  readonly unlisted: readonly string[];
  readonly queries: readonly string[];
};

const FOLDER = new URL('../../../dashboard/', import.meta.url);

/**
 * Content-Security-Policy of the dashboard. It allows nothing inline, and nothing from other origins except the pictures of
 * agents, which the page requests only after a click.
 */
const POLICY =
  "default-src 'self'; img-src 'self' https:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

const HTML = 'text/html; charset=utf-8';
const TYPES: Readonly<Record<string, string>> = {
  '.html': HTML,
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
};

/**
 * Serves the dashboard. Without its build, the service starts all the same, and `/` says how to build it. Returns a function for
 * paths that nothing serves: if a browser asks for a page, it answers with the page for 404, and returns true.
 */
export function serveDashboard(
  router: Router,
  { publicUrl, caches }: Pick<Deps, 'publicUrl' | 'caches'>,
  answer: AnswerQuery,
  folder = FOLDER,
): (ctx: Context) => Promise<boolean> {
  const built = readBuilt(folder);
  if (built === undefined) {
    router.get('/', sayHowToBuild);
    return async () => false;
  }
  // The trade page of an agent has become a panel on the agent's page. Old links to it are redirected there.
  router.get('/agents/:agentId/trade', (ctx) => {
    ctx.redirect(`/agents/${encodeURIComponent(String(ctx.params.agentId))}${ctx.search}#trade`);
  });
  const firstAnswersOf = firstAnswers(built.queries, answer);
  for (const [path, file] of Object.entries(built.documents)) {
    const document = once(() => readAsset(folder, file));
    const view = firstViews[basename(file, '.html')];
    router.get(path, async (ctx) => {
      ctx.set('Content-Security-Policy', POLICY);
      if (view) {
        const { json, status } = await firstAnswersOf(view, ctx);
        const encoding = encodingFor(ctx);
        // The cache key contains the data that the page shows, so a cached page is never out of date.
        const key = `${encoding} ${ctx.path}\n${json ?? ''}`;
        const load = async () => {
          const head = view.head(json === undefined ? undefined : dataOf(json), ctx.params);
          return textAsset(HTML, filled(String((await document()).bytes.identity), publicUrl, head, json), encoding);
        };
        const page = await caches.pages.get(key, load, ({ bytes }) => key.length + bytes.identity.length);
        return sendAsset(ctx, page, 'no-cache', status);
      }
      if (!built.unlisted.includes(path)) return sendAsset(ctx, await document(), 'no-cache');
      ctx.set('X-Robots-Tag', 'noindex');
      ctx.set('Referrer-Policy', 'same-origin');
      sendAsset(ctx, await document(), 'no-store');
    });
  }
  for (const file of built.assets) {
    const asset = once(() => readAsset(folder, file));
    // The name contains a hash of the content, so the content never changes.
    router.get(`/${file}`, async (ctx) => sendAsset(ctx, await asset(), 'public, max-age=31536000, immutable'));
  }
  const notFound = once(() => readAsset(folder, 'documents/not-found.html'));
  return async (ctx) => {
    if (!['GET', 'HEAD'].includes(ctx.method)) return false;
    ctx.vary('Accept');
    if (ctx.accepts('application/json', 'text/html') !== 'text/html') return false;
    ctx.set('Content-Security-Policy', POLICY);
    sendAsset(ctx, await notFound(), 'no-store', 404);
    return true;
  };
}

/** The GraphQL documents that the dashboard sends. Exported for a test that validates them. */
export const dashboardQueries = (): readonly string[] => readBuilt(FOLDER)?.queries ?? [];

/** The paths of the pages that search engines may list, except paths with parameters. */
export function dashboardPages(): string[] {
  const { documents = {}, unlisted = [] } = readBuilt(FOLDER) ?? {};
  return Object.entries(documents)
    .filter(([path, file]) => extname(file) === '.html' && !path.includes(':') && !unlisted.includes(path))
    .map(([path]) => path);
}

function readBuilt(folder: URL): Built | undefined {
  try {
    return JSON.parse(readFileSync(new URL('files.json', folder), 'utf8')) as Built;
  } catch {
    return undefined;
  }
}

/** Reads a file and its compressed forms, which the build has written beside it. */
async function readAsset(folder: URL, file: string): Promise<Asset> {
  const read = (suffix: string) => readFile(new URL(file + suffix, folder));
  const [identity, br, gzip] = await Promise.all([read(''), read('.br'), read('.gz')]);
  return hashedAsset(TYPES[extname(file)] ?? 'application/octet-stream', { identity, br, gzip });
}

function sayHowToBuild(ctx: Context): void {
  ctx.status = 404;
  ctx.type = 'text/plain; charset=utf-8';
  ctx.body = 'The dashboard is not built: run npm ci (with its development packages) and npm run build. The API is at /docs.\n';
}

/** Answers a GraphQL query as if a client at the address `ip` had sent it. `isComplete`: whether the answer has no errors. */
type AnswerQuery = (
  query: string,
  variables: Readonly<Record<string, unknown>>,
  ip: string,
) => Promise<{ readonly json: string; readonly isComplete: boolean }>;

/**
 * The first answers of a page. `json`: the queries that the page sends first, with their answers. If it is undefined, the page
 * sends them itself, and shows any errors. `status`: HTTP status of the page.
 */
type First = { readonly json?: string; readonly status: number };

type Parsed = {
  readonly data?: unknown;
  readonly errors?: readonly { readonly extensions?: { readonly code?: string } }[];
};

/** Returns a function that reads the first answers of a page. `queries` are the documents of the dashboard. */
function firstAnswers(queries: readonly string[], answer: AnswerQuery) {
  const byName = new Map(queries.map((text) => [/^query (\w+)/.exec(text)?.[1], text]));
  return async ({ queriesOf }: FirstView, ctx: Context): Promise<First> => {
    try {
      const asked = queriesOf(ctx.params, ctx.search);
      if (asked.length === 0) return { status: 200 };
      const answers = await Promise.all(
        asked.map(({ operation, variables }) => answer(byName.get(operation) ?? '', variables, ctx.state.ip)),
      );
      if (answers.every(({ isComplete }) => isComplete)) {
        return { json: `[${asked.map((query, i) => entryOf(query, answers[i]?.json ?? '')).join()}]`, status: 200 };
      }
      const errors = answers.flatMap(({ json }) => (JSON.parse(json) as Parsed).errors ?? []);
      return { status: errors.some(({ extensions }) => MISSING.has(extensions?.code)) ? 404 : 200 };
    } catch (error) {
      const { error: refusal, unexpected } = problemOf(error);
      if (unexpected) throw error;
      // Invalid parameters mean that the page does not exist: for example, the path contains a character that no agentId has.
      return { status: refusal.status === 400 ? 404 : 200 };
    }
  };
}

const entryOf = ({ operation, variables }: FirstQuery, answer: string): string =>
  `{"operation":"${operation}","variables":${JSON.stringify(variables)},"answer":${answer}}`;

/** The `data` of the first of the answers in `json`. */
const dataOf = (json: string): unknown => (JSON.parse(json) as { readonly answer: Parsed }[])[0]?.answer.data;

const MISSING: ReadonlySet<string | undefined> = new Set(['AGENT_NOT_FOUND', 'SEASON_NOT_FOUND']);

/** Maximum length of a description, in characters. Search engines show less than that. */
const MAX_DESCRIPTION = 300;

/**
 * Fills in the document of a page: its title, description and link preview, and the first answers as JSON, which browsers do not
 * execute.
 */
export function filled(document: string, url: string, head: Head, json: string | undefined): string {
  const title = head.title === undefined ? (/<title>(.*)<\/title>/.exec(document)?.[1] ?? '') : `${head.title} · Curvet`;
  const description = [...head.description].slice(0, MAX_DESCRIPTION).join('');
  const tags = [
    markup`<meta name="description" content="${description}">`,
    markup`<title>${title}</title>`,
    markup`<link rel="canonical" href="${url + head.path}">`,
    ...Object.entries({ site_name: 'Curvet', type: 'website', title, description, url: url + head.path }).map(
      ([name, value]) => markup`<meta property="og:${name}" content="${value}">`,
    ),
    markup`<meta name="twitter:card" content="${head.image ? 'summary_large_image' : 'summary'}">`,
    ...(head.image
      ? [
          markup`<meta property="og:image" content="${url + head.image}">`,
          markup`<meta property="og:image:width" content="1200">`,
          markup`<meta property="og:image:height" content="630">`,
        ]
      : []),
  ];
  // A `</script>` in a text would end the element, so every `<` is escaped.
  const data = json && `<script type="application/json" id="first-answer">${json.replaceAll('<', '\\u003c')}</script>`;
  return document
    .replace(/ *<meta name="description".*\n/, '')
    .replace(/<title>.*<\/title>/, () => joined(tags, '\n    ').text)
    .replace('</body>', () => `${data ?? ''}</body>`);
}
