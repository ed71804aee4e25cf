import type { Context } from 'koa';
import { AppError } from '../../../errors.js';
import { MAX_REQUEST_BYTES } from '../../document-limits.js';
import { depthOf, readText } from '../../http/body.js';
import { type GraphRequest, isRecord, MAX_DEPTH } from '../engine/parse.js';
import { badRequest } from '../engine/refused-request.js';

/** Reads a request from the body of a POST or the parameters of a GET. Size and depth are checked before JSON is parsed. */
export const readRequest = async (ctx: Context): Promise<GraphRequest> =>
  ctx.method === 'POST' ? readPost(ctx) : readGet(ctx);

async function readPost(ctx: Context): Promise<GraphRequest> {
  const text = await readText(ctx.req, MAX_REQUEST_BYTES);
  if (ctx.get('content-type') !== 'application/json' && !ctx.is('application/json')) return {};
  const value = parseJson(text);
  if (isRecord(value)) return value;
  throw new AppError('INVALID_JSON');
}

function readGet(ctx: Context): GraphRequest {
  if (ctx.querystring.length >= MAX_REQUEST_BYTES) throw new AppError('BODY_TOO_LARGE', { max: MAX_REQUEST_BYTES });
  // ctx.URL is not used, because it depends on the Host header.
  const parameters = new URLSearchParams(ctx.querystring);
  const json = (name: string): unknown => {
    const text = parameters.get(name);
    return text === null ? undefined : parseJson(text);
  };
  return {
    query: parameters.get('query') ?? undefined,
    operationName: parameters.get('operationName') ?? undefined,
    variables: json('variables'),
    extensions: json('extensions'),
  };
}

function parseJson(text: string): unknown {
  if (depthOf(text) > MAX_DEPTH) throw new AppError('BODY_TOO_DEEP', { max: MAX_DEPTH });
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new AppError('INVALID_JSON', {}, { cause });
  }
}

/** Checks that a plain HTTP request follows the GraphQL over HTTP specification, and that no other site can forge it. */
export function checkHttp(ctx: Context, request: GraphRequest, mediaType: string | false): void {
  checkContentType(ctx);
  if (ctx.method !== 'GET' && ctx.method !== 'POST') {
    throw badRequest('GraphQL accepts GET and POST', 405, { Allow: 'GET, POST' });
  }
  checkFields(request);
  if (mediaType === false) throw badRequest('The Accept header allows no media type of GraphQL', 406);
}

/** Content types that a page of another site can send without a preflight request. */
const SIMPLE_CONTENT_TYPES = ['', 'application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain'];
/** Headers that a page of another site cannot send without a preflight request. Clients of Apollo send them. */
const PREFLIGHT_HEADERS = ['x-apollo-operation-name', 'apollo-require-preflight'];

function checkContentType(ctx: Context): void {
  if (PREFLIGHT_HEADERS.some((name) => ctx.get(name) !== '')) return;
  const [type = ''] = ctx.get('content-type').toLowerCase().split(';');
  if (SIMPLE_CONTENT_TYPES.includes(type.trim())) {
    const header = PREFLIGHT_HEADERS.join(' or ');
    throw badRequest(
      `Possible cross-site request forgery. Send Content-Type: application/json, or the header ${header}`,
    );
  }
  if (ctx.method === 'GET' && type.trim() !== 'application/json') {
    throw badRequest('A GET request has no Content-Type other than application/json', 415);
  }
}

function checkFields({ query, operationName, variables, extensions }: GraphRequest): void {
  if (query && typeof query !== 'string') throw badRequest('query must be a string');
  if (operationName != null && typeof operationName !== 'string') throw badRequest('operationName must be a string');
  if (variables != null && !isRecord(variables)) throw badRequest('variables must be an object');
  if (extensions != null && !isRecord(extensions)) throw badRequest('extensions must be an object');
  if (!query && !extensions?.persistedQuery) throw badRequest('The request has neither a query nor a persistedQuery');
}
