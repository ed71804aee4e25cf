import type Router from '@koa/router';
import type { Deps } from '../../deps.js';
import type { Place } from './document.js';
import type { Endpoint } from './endpoint.js';
import { openapi } from './openapi.js';
import { referencePage } from './reference.js';

/** The OpenAPI document and its page. They never change while the service runs. */
export function serveDocuments(
  { config, market, publicUrl }: Deps,
  router: Router,
  declared: readonly Endpoint[],
): void {
  const place: Place = {
    url: publicUrl,
    chainId: market.chainId,
    contract: market.contract,
    ...(config.chainEmbedded ? { rpcUrl: market.rpcUrl } : {}),
  };
  const document = openapi(declared, config, place);
  const json = JSON.stringify(document);
  const page = referencePage(document, place);
  router.get('/openapi.json', (ctx) => {
    ctx.type = 'application/json';
    ctx.body = json;
  });
  router.get('/docs', (ctx) => {
    ctx.type = 'text/html; charset=utf-8';
    ctx.body = page;
  });
}
