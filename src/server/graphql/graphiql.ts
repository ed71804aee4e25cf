import { readFile } from 'node:fs/promises';
import type { Context } from 'koa';
import { once } from '../../tasks.js';
import { type Asset, assetOf, sendAsset } from '../http/assets.js';

export const SCRIPT_PATH = '/graphql/graphiql.js';

/** The Content-Security-Policy of the editor page. The editor starts workers from blobs and embeds fonts as data URLs. */
const POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; " +
  "worker-src 'self' blob:; frame-ancestors 'none'";

/** Loads the page and script that the build created (9 MB). */
async function loadPage(): Promise<{ readonly page: Asset; readonly script: Asset }> {
  const read = (name: string): Promise<string> => readFile(new URL(name, BUILT), 'utf8');
  const script = await assetOf('text/javascript; charset=utf-8', await read('script.js'));
  const source = `<script src="${SCRIPT_PATH}?v=${script.hash}"></script>`;
  const html = (await read('page.html')).replace('<!-- script -->', source);
  return { page: await assetOf('text/html; charset=utf-8', html), script };
}
const BUILT = new URL('../../../graphiql/', import.meta.url);

/** Handlers of the editor page and its script. The first request for one of them loads both. */
export function graphiqlEditor() {
  const files = once(loadPage);
  return {
    async page(ctx: Context): Promise<void> {
      const { page } = await files();
      ctx.set('Content-Security-Policy', POLICY);
      ctx.vary('Accept');
      sendAsset(ctx, page, 'no-cache');
    },
    /** Serves the script. Its URL in the page contains its hash, so it is cached for a year. At other URLs, it is revalidated. */
    async script(ctx: Context): Promise<void> {
      const { script } = await files();
      const isExact = ctx.query.v === script.hash;
      sendAsset(ctx, script, isExact ? 'public, max-age=31536000, immutable' : 'public, no-cache');
    },
  };
}
