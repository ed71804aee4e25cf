import type { Context } from 'koa';
import { LRUCache } from 'lru-cache';
import { AppError } from '../../../errors.js';
import { MAX_REQUEST_BYTES } from '../../document-limits.js';
import { parseJson, parseObject, readText } from '../../http/body.js';
import type { GraphRequest } from '../admit.js';

export const MAX_DEPTH = 8;

/** Reads a request from the body of a POST or the parameters of a GET. Size and depth are checked before JSON is parsed. */
export const readRequest = async (ctx: Context): Promise<GraphRequest> =>
  ctx.method === 'POST' ? readPost(ctx) : readGet(ctx);

async function readPost(ctx: Context): Promise<GraphRequest> {
  const text = await readText(ctx.req, MAX_REQUEST_BYTES);
  // Apollo Server refuses an empty request, and says why.
  if (ctx.get('content-type') !== 'application/json' && !ctx.is('application/json')) return {};
  return parseObject(text, MAX_DEPTH);
}

function readGet(ctx: Context): GraphRequest {
  if (ctx.querystring.length >= MAX_REQUEST_BYTES) throw new AppError('BODY_TOO_LARGE', { max: MAX_REQUEST_BYTES });
  // ctx.URL is not used, because it depends on the Host header.
  const parameters = new URLSearchParams(ctx.querystring);
  const json = (name: string): unknown => {
    const text = parameters.get(name);
    return text === null ? undefined : parseJson(text, MAX_DEPTH);
  };
  return {
    query: parameters.get('query') ?? undefined,
    operationName: parameters.get('operationName') ?? undefined,
    variables: json('variables'),
    extensions: json('extensions'),
  };
}

/** The media types of a GraphQL answer. The first is the default. */
export const JSON_TYPE = 'application/json';
export const RESPONSE_TYPE = 'application/graphql-response+json';
export const STREAM_TYPE = 'text/event-stream';

/** Caches the media type by the Accept header, because negotiation takes longer than serving a cached answer. */
export function preferred<Type extends string>(...types: readonly Type[]): (ctx: Context) => Type | false {
  const sizeCalculation = (_: unknown, header: string) => header.length + 1;
  const negotiated = new LRUCache<string, Type | false>({ max: 100, maxSize: 10_000, sizeCalculation });
  return (ctx) => {
    const header = ctx.headers.accept ?? '*/*';
    let type = negotiated.get(header);
    if (type === undefined) {
      type = ctx.accepts(...types) as Type | false;
      negotiated.set(header, type);
    }
    return type;
  };
}

/** Negotiates whether a client wants a stream. Some clients name the media type in every request, with the lowest preference. */
export function streamPreference(): (ctx: Context) => boolean {
  const preferredType = preferred(JSON_TYPE, RESPONSE_TYPE, STREAM_TYPE);
  return (ctx) => preferredType(ctx) === STREAM_TYPE;
}

/** Whether a browser requests the editor page. A request with a query gets an answer instead. */
export const wantsPage = (ctx: Context): boolean =>
  (ctx.method === 'GET' || ctx.method === 'HEAD') &&
  ctx.query.query === undefined &&
  ctx.query.extensions === undefined &&
  ctx.accepts('application/json', 'application/graphql-response+json', 'text/html') === 'text/html';
