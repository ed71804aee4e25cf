import type Router from '@koa/router';
import { publicRpcUrl } from '../../core/pricing/queries/contract.js';
import type { Deps } from '../../deps.js';
import { assetOf, once, sendAsset } from '../http/assets.js';
import { docsPage } from './docs/page.js';
import type { Endpoint } from './endpoint.js';
import type { Place } from './openapi/document.js';
import { openapi } from './openapi/openapi.js';

/** Serves the OpenAPI document and /docs. Both are constant while the service runs. */
export function serveDocuments(deps: Deps, router: Router, declared: readonly Endpoint[]): void {
  const { config, market, publicUrl } = deps;
  const rpcUrl = publicRpcUrl(deps);
  const place: Place = {
    url: publicUrl,
    chainId: market.chainId,
    contract: market.contract,
    ...(rpcUrl === null ? {} : { rpcUrl }),
  };
  const document = openapi(declared, config, place);
  const json = once(() => assetOf('application/json', JSON.stringify(document)));
  const page = once(() =>
    assetOf('text/html; charset=utf-8', docsPage(document, { place, config, endpoints: declared })),
  );
  router.get('/openapi.json', async (ctx) => sendAsset(ctx, await json(), CACHING));
  router.get('/docs', async (ctx) => sendAsset(ctx, await page(), CACHING));
}

/** Clients cache the documents for 5 minutes, so they may see the documents of the previous version that long. */
const CACHING = 'public, max-age=300';
