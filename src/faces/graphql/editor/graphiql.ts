import type { Context } from 'koa';
import { type Asset, assetOf, once, sendAsset } from '../../http/assets.js';
import { examples } from './examples.js';

/** Whether a browser opens the address. A request with a query gets an answer instead of the page. */
export const wantsPage = (ctx: Context): boolean =>
  (ctx.method === 'GET' || ctx.method === 'HEAD') &&
  ctx.query.query === undefined &&
  ctx.query.extensions === undefined &&
  ctx.accepts('application/json', 'application/graphql-response+json', 'text/html') === 'text/html';

export const SCRIPT_PATH = '/graphql/graphiql.js';

/** The editor starts its workers from blobs and embeds its fonts. */
const POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; " +
  "worker-src 'self' blob:; frame-ancestors 'none'";

/** The editor has 9 MB and is loaded at the first request. Its script is served as a file, since the policy forbids inline scripts. */
async function makePage(): Promise<{ readonly page: Asset; readonly script: Asset }> {
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql');
  const whole = renderGraphiQL({
    title: 'Curvet GraphQL',
    endpoint: '/graphql',
    defaultTabs: examples.map(({ title, query }) => ({ query: `# ${title}\n${query}\n` })),
    defaultQuery: `# ${examples[0]?.title}\n${examples[0]?.query}\n`,
    // Subscriptions go over SSE, with the headers of the tab.
    subscriptionsProtocol: 'SSE',
    shouldPersistHeaders: false,
  } as Parameters<typeof renderGraphiQL>[0]);
  const [open, close] = ['<script>', '</script>'];
  const [start, end] = [whole.indexOf(open), whole.lastIndexOf(close)];
  const script = await assetOf('text/javascript; charset=utf-8', whole.slice(start + open.length, end));
  const source = `<script src="${SCRIPT_PATH}?v=${script.hash}"></script>`;
  const html = `${whole.slice(0, start)}${source}${whole.slice(end + close.length)}`;
  return { page: await assetOf('text/html; charset=utf-8', html), script };
}

/** The editor that browsers get. Its files are built with the first request for one of them. */
export function graphiqlEditor() {
  const files = once(makePage);
  return {
    async page(ctx: Context): Promise<void> {
      const { page } = await files();
      ctx.set('Content-Security-Policy', POLICY);
      ctx.vary('Accept');
      sendAsset(ctx, page, 'no-cache');
    },
    /** Cached for a year under the URL in the page, which contains its hash. Under any other URL, it may change. */
    async script(ctx: Context): Promise<void> {
      const { script } = await files();
      const isExact = ctx.query.v === script.hash;
      sendAsset(ctx, script, isExact ? 'public, max-age=31536000, immutable' : 'public, no-cache');
    },
  };
}
