import { readFile } from 'node:fs/promises';
import type { Context } from 'koa';
import { type Asset, assetOf, once, sendAsset } from '../../http/assets.js';

/** Browsers that open the address; a request with a query wants its answer. */
export const wantsPage = (ctx: Context): boolean =>
  (ctx.method === 'GET' || ctx.method === 'HEAD') &&
  ctx.query.query === undefined &&
  ctx.query.extensions === undefined &&
  ctx.accepts('application/json', 'application/graphql-response+json', 'text/html') === 'text/html';

export const SCRIPT_PATH = '/graphql/graphiql.js';

/** The editor runs its helpers as workers made of text, and brings its fonts with it. */
const POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; " +
  "worker-src 'self' blob:; frame-ancestors 'none'";

/** 9 MB of editor, made by the build and loaded when the first browser comes. */
async function makePage(): Promise<{ readonly page: Asset; readonly script: Asset }> {
  const read = (name: string): Promise<string> => readFile(new URL(name, BUILT), 'utf8');
  const script = await assetOf('text/javascript; charset=utf-8', await read('script.js'));
  const source = `<script src="${SCRIPT_PATH}?v=${script.hash}"></script>`;
  const html = (await read('page.html')).replace('<!-- script -->', source);
  return { page: await assetOf('text/html; charset=utf-8', html), script };
}
const BUILT = new URL('../../../../graphiql/', import.meta.url);

const editor = once(makePage);

export async function graphiql(ctx: Context): Promise<void> {
  const { page } = await editor();
  ctx.set('Content-Security-Policy', POLICY);
  ctx.vary('Accept');
  sendAsset(ctx, page, 'no-cache');
}

/** For good under the address that the page has. Under any other it may be of another version. */
export async function graphiqlScript(ctx: Context): Promise<void> {
  const { script } = await editor();
  const isExact = ctx.query.v === script.hash;
  sendAsset(ctx, script, isExact ? 'public, max-age=31536000, immutable' : 'public, no-cache');
}
