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
 * What the build wrote to dist/dashboard: a document for each path, the files that the documents name, the paths that contain
 * a secret, such as the code of a claim, and the GraphQL documents that the pages send.
 */
type Built = {
  readonly documents: Readonly<Record<string, string>>;
  readonly assets: readonly string[];
  readonly unlisted: readonly string[];
  readonly queries: readonly string[];
};

const FOLDER = new URL('../../../dashboard/', import.meta.url);

/**
 * Content-Security-Policy of the dashboard: nothing inline, nothing from other origins. Pictures of agents are the exception,
 * which the page only requests after a click.
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
 * Serves the dashboard. The service also starts without its build; the page then says how to build it. Returns a function that
 * answers a path that nothing serves, if a browser asks for a page.
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
  // The address of the former trade page leads to the panel on the agent's page.
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
        // The key is what the page shows, so a cached page is never out of date.
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

/** The GraphQL documents of the dashboard. A test validates them. */
export const dashboardQueries = (): readonly string[] => readBuilt(FOLDER)?.queries ?? [];

/** The paths of the pages that search engines may list, without those that have parameters. */
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

/** The build has compressed the file, so nothing is compressed here. */
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

/** What a request with this query gets from this address. `isComplete`: it has no errors. */
type AnswerQuery = (
  query: string,
  variables: Readonly<Record<string, unknown>>,
  ip: string,
) => Promise<{ readonly json: string; readonly isComplete: boolean }>;

/** `json`: the queries and their answers. undefined: the page sends the queries itself, and shows what the service says. */
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
      // For example, the path contains a character that no agentId has.
      return { status: refusal.status === 400 ? 404 : 200 };
    }
  };
}

const entryOf = ({ operation, variables }: FirstQuery, answer: string): string =>
  `{"operation":"${operation}","variables":${JSON.stringify(variables)},"answer":${answer}}`;

/** Data of the first answer. */
const dataOf = (json: string): unknown => (JSON.parse(json) as { readonly answer: Parsed }[])[0]?.answer.data;

const MISSING: ReadonlySet<string | undefined> = new Set(['AGENT_NOT_FOUND', 'SEASON_NOT_FOUND']);

/** Maximum length of a description, in characters. Search engines show less than that. */
const MAX_DESCRIPTION = 300;

/** The document of a page with its own head, and with the first answers as data that no browser executes. */
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
  // Nothing in a text may end the element.
  const data = json && `<script type="application/json" id="first-answer">${json.replaceAll('<', '\\u003c')}</script>`;
  return document
    .replace(/ *<meta name="description".*\n/, '')
    .replace(/<title>.*<\/title>/, () => joined(tags, '\n    ').text)
    .replace('</body>', () => `${data ?? ''}</body>`);
}
