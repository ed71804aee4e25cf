import type { Context } from 'koa';
import { AppError } from '../../../errors.js';
import { MAX_REQUEST_BYTES } from '../../document-limits.js';
import { depthOf, readText } from '../../http/body.js';
import { type GraphRequest, isRecord } from '../admit.js';

/** Maximum nesting of the JSON of a request. */
export const MAX_DEPTH = 8;

/** Reads a request from the body of a POST or the parameters of a GET. Size and depth are checked before JSON is parsed. */
export const readRequest = async (ctx: Context): Promise<GraphRequest> =>
  ctx.method === 'POST' ? readPost(ctx) : readGet(ctx);

async function readPost(ctx: Context): Promise<GraphRequest> {
  const text = await readText(ctx.req, MAX_REQUEST_BYTES);
  // Apollo Server refuses an empty request, and says why.
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
