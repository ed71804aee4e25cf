import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Context } from 'koa';
import { examples } from './examples.js';

/** Browsers that open the address; a request with a query wants its answer. */
export const wantsPage = (ctx: Context): boolean =>
  ctx.method === 'GET' &&
  ctx.query.query === undefined &&
  ctx.query.extensions === undefined &&
  ctx.accepts('application/json', 'application/graphql-response+json', 'text/html') === 'text/html';

export const SCRIPT_PATH = '/graphql/graphiql.js';

/** The editor runs its helpers as workers made of text, and brings its fonts with it. */
const POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; " +
  "worker-src 'self' blob:; frame-ancestors 'none'";

type Page = { readonly html: string; readonly script: Buffer; readonly zipped: Buffer; readonly etag: string };
let made: Promise<Page> | undefined;

/** 9 MB of editor, loaded when the first browser comes. Its script is taken out of the page: no inline script is allowed. */
async function makePage(): Promise<Page> {
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql');
  const whole = renderGraphiQL({
    title: 'Curvet GraphQL',
    endpoint: '/graphql',
    defaultTabs: examples.map(({ title, query }) => ({ query: `# ${title}\n${query}\n` })),
    defaultQuery: `# ${examples[0]?.title}\n${examples[0]?.query}\n`,
    // Its subscriptions are requests like any other, with the headers of the tab.
    subscriptionsProtocol: 'SSE',
    shouldPersistHeaders: false,
  } as Parameters<typeof renderGraphiQL>[0]);
  const [open, close] = ['<script>', '</script>'];
  const [start, end] = [whole.indexOf(open), whole.lastIndexOf(close)];
  const script = Buffer.from(whole.slice(start + open.length, end));
  const etag = createHash('sha256').update(script).digest('base64url').slice(0, 22);
  const html = `${whole.slice(0, start)}<script src="${SCRIPT_PATH}?v=${etag}"></script>${whole.slice(end + close.length)}`;
  return { html, script, zipped: await promisify(gzip)(script), etag: `"${etag}"` };
}

const page = (): Promise<Page> => {
  made ??= makePage();
  return made;
};

export async function graphiql(ctx: Context): Promise<void> {
  const { html } = await page();
  ctx.set('Content-Security-Policy', POLICY);
  ctx.set('Cache-Control', 'no-cache');
  ctx.vary('Accept');
  ctx.type = 'text/html; charset=utf-8';
  ctx.body = html;
}

export async function graphiqlScript(ctx: Context): Promise<void> {
  const { script, zipped, etag } = await page();
  ctx.set('Cache-Control', 'public, max-age=31536000, immutable');
  ctx.set('ETag', etag);
  ctx.vary('Accept-Encoding');
  ctx.type = 'text/javascript; charset=utf-8';
  ctx.status = 200;
  if (ctx.get('if-none-match').includes(etag)) {
    ctx.status = 304;
  } else if (ctx.acceptsEncodings('gzip', 'identity') === 'gzip') {
    ctx.set('Content-Encoding', 'gzip');
    ctx.body = zipped;
  } else {
    ctx.body = script;
  }
}
