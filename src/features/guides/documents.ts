import type Router from '@koa/router';
import type { Context } from 'koa';
import type { Deps } from '../../deps.js';
import { type Asset, assetOf, sendAsset } from '../../server/http/assets.js';
import { type Addresses, type Document, openapi, type Served } from '../../server/openapi/openapi.js';
import { failuresOf, operationsByTag, type Placed, requestFields, typeText } from '../../server/openapi/reference.js';
import type { Tool } from '../../server/operation.js';
import { once } from '../../tasks.js';
import { dashboardPages } from '../dashboard/dashboard.js';
import { API_CATALOG_PATH, API_CATALOG_TYPE, apiCatalog, skillIndex } from './discovery.js';
import { addressesOf } from './facts.js';
import { type Chapter, type Guides, readGuides } from './guides.js';
import { plain, table } from './tables.js';

/**
 * Serves the OpenAPI document, /docs, the guides and the documents by which agents find them. They are constant while the service
 * runs. /docs redirects browsers to the reference in the dashboard, if `pages` contains it. Returns the guides.
 */
export function serveDocuments(
  deps: Deps,
  router: Router,
  served: Served & { readonly tools: readonly Tool[] },
  pages: readonly string[] = dashboardPages(),
): Guides {
  const addresses = addressesOf(deps);
  const { endpoints, tools } = served;
  // Made at its first use, so that the start does not wait for it.
  let made: Document | undefined;
  const document = () => {
    made ??= openapi(served, deps.config, addresses);
    return made;
  };
  // The guides are read at the start, so that a wrong placeholder stops the start.
  const guides = readGuides({ addresses, config: deps.config, endpoints, tools });
  const serve = (path: string, type: string, text: () => string) => {
    const asset = once(() => assetOf(type, text()));
    router.get(path, async (ctx) => send(ctx, await asset()));
  };
  serve('/openapi.json', JSON_TYPE, () => JSON.stringify(document()));
  serve('/skill.md', MARKDOWN, () => guides.skill);
  serve('/heartbeat.md', MARKDOWN, () => guides.heartbeat);
  serve('/llms.txt', 'text/plain; charset=utf-8', () => guides.llms);
  serve('/.well-known/agent-skills/index.json', JSON_TYPE, () => JSON.stringify(skillIndex(addresses, guides)));
  const catalog = once(() => assetOf(API_CATALOG_TYPE, JSON.stringify(apiCatalog(addresses))));
  router.get(API_CATALOG_PATH, async (ctx) => {
    // RFC 9727 asks for this `Link` header, above all in the answer to HEAD.
    ctx.set('Link', `<${addresses.url}${API_CATALOG_PATH}>; rel="api-catalog"`);
    send(ctx, await catalog());
  });
  const markdown = once(() => assetOf(MARKDOWN, docsMarkdown(document(), addresses, guides.chapters)));
  router.get('/docs.md', async (ctx) => send(ctx, await markdown()));
  router.get('/docs', async (ctx) => {
    ctx.vary('Accept');
    const prefersPage = ctx.accepts('text/markdown', 'text/html') === 'text/html';
    if (!prefersPage || !pages.includes(DEVELOPERS)) return send(ctx, await markdown());
    ctx.set('Cache-Control', CACHE_CONTROL);
    // The browser keeps the fragment: /docs#points opens /developers#points.
    ctx.redirect(DEVELOPERS);
  });
  return guides;
}

const DEVELOPERS = '/developers';
const JSON_TYPE = 'application/json';
const MARKDOWN = 'text/markdown; charset=utf-8';

/** Clients cache the documents for 5 minutes, so after an update they may see the previous version for up to 5 minutes. */
const CACHE_CONTROL = 'public, max-age=300';
const send = (ctx: Context, asset: Asset): void => sendAsset(ctx, asset, CACHE_CONTROL);

/**
 * The text of `/docs` for programs: the chapters, then every operation. It omits the fields of the answers, which OpenAPI has.
 * Each heading ends with its fragment, because errors and guides link to fragments such as `/docs#signed`.
 */
function docsMarkdown(document: Document, addresses: Addresses, chapters: readonly Chapter[]): string {
  const { url, chainId, contract, rpcUrl } = addresses;
  const facts = [`Service \`${url}\``, `chain ID ${chainId}`, contract && `contract \`${contract}\``];
  const parts = [
    '# Curvet documentation',
    `${document.info.summary} ${url}/openapi.json has every field.`,
    `${[...facts, rpcUrl && `RPC \`${rpcUrl}\``].filter(Boolean).join(', ')}.`,
    ...chapters.map(({ id, title, text }) => `## ${title} {#${id}}\n${text.trimEnd()}`),
    ...operationsByTag(document).map(({ name, description, operations }) =>
      [`## ${name}`, `${description}.`, ...operations.map((placed) => operationPart(document, placed))].join('\n\n'),
    ),
  ];
  return `${parts.join('\n\n')}\n`;
}

function operationPart(document: Document, placed: Placed): string {
  const { method, path, operation } = placed;
  const { operationId, summary, description, security, deprecated } = operation;
  const fields = requestFields(document, operation).map((field) => [
    `\`${field.name}\``,
    `${field.in}${field.required ? ', required' : ''}`,
    plain(typeText(document, field.schema)),
    plain(field.description ?? ''),
  ]);
  const key = security.length === 0 ? '' : security.length === 1 ? 'Needs a key.' : 'Takes a key.';
  return [
    `### ${method} ${path}${deprecated ? ' (retired)' : ''} {#${operationId}}`,
    `${summary}. ${description} ${key}`.trimEnd(),
    ...(fields.length > 0 ? [table(['Field', 'In', 'Type', 'Meaning'], fields)] : []),
    `\`\`\`sh\n${operation['x-codeSamples'][0].source}\n\`\`\``,
    `Failures:\n${failuresOf(document, operation)
      .map(({ status, errors }) => `- ${status} \`${errors}\``)
      .join('\n')}`,
  ].join('\n\n');
}
