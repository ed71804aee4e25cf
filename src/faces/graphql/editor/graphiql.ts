import { readFile } from 'node:fs/promises';
import type { Context } from 'koa';
import { type Asset, assetOf, once, sendAsset } from '../../http/assets.js';

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

/** The build creates the editor (9 MB). The first request loads it. */
async function makePage(): Promise<{ readonly page: Asset; readonly script: Asset }> {
  const read = (name: string): Promise<string> => readFile(new URL(name, BUILT), 'utf8');
  const script = await assetOf('text/javascript; charset=utf-8', await read('script.js'));
  const source = `<script src="${SCRIPT_PATH}?v=${script.hash}"></script>`;
  const html = (await read('page.html')).replace('<!-- script -->', source);
  return { page: await assetOf('text/html; charset=utf-8', html), script };
}
const BUILT = new URL('../../../../graphiql/', import.meta.url);

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
