import type Router from '@koa/router';
import type { Context } from 'koa';
import type { Deps } from '../../deps.js';
import { hashKey, KeyEnded } from '../../keys.js';
import { authenticate, countRefused } from '../authenticate.js';
import { MAX_BYTES, parseBody, readText } from '../http/body.js';
import { bypassesCache, bytesOf, isUnchanged, sendPublic, weakEtag } from '../http/public-answer.js';
import { newRouter } from '../http/routes.js';
import { fromTexts, parseFields, readFields, readQuery, refuseMisspelled } from '../inputs.js';
import { type Endpoint, isRead } from '../operation.js';
import { isUnderApi, showWindows } from '../rate-limits.js';
import { restAnswer } from '../resources/answers.js';
import { isShared, type Outcome, type Request, run, type Transport } from '../run.js';

export const IDEMPOTENCY_HEADER = 'Idempotency-Key';

type Format = (result: unknown) => Record<string, unknown>;

/** A call of an endpoint. `given` contains the path parameters as texts, and `format` makes the answer from the rows. */
type RestRequest = Request & {
  readonly operation: Endpoint;
  readonly given: Readonly<Record<string, string>>;
  readonly ctx: Context;
  readonly format: Format;
};

/** Creates the router of a list of endpoints. */
export function mount(deps: Deps, endpoints: readonly Endpoint[]): Router {
  const router = newRouter();
  for (const declared of endpoints) {
    const path = declared.path.replace(/\{(\w+)\}/g, ':$1');
    const format = restAnswer(declared.output).format as Format;
    router.register(path, [declared.method], (ctx) => serve(deps, declared, format, ctx));
  }
  return router;
}

async function serve(deps: Deps, declared: Endpoint, format: Format, ctx: Context): Promise<void> {
  const key = ctx.req.headers[IDEMPOTENCY_HEADER.toLowerCase()];
  const isKeyed = key !== undefined && !isRead(declared);
  const caller = await callerOf(deps, declared, ctx, isKeyed).catch((wrong: unknown) => countRefused(deps, ctx, wrong));
  ctx.state.agent = caller.actor?.agentId;
  if (declared.auth === 'optional') ctx.vary('X-Api-Key');
  const name = `${declared.method} ${declared.path}`;
  const request: RestRequest = {
    ...caller,
    deps,
    operation: declared,
    ip: ctx.state.ip,
    given: ctx.params,
    ctx,
    format,
    idempotency: isKeyed ? { key: String(key), field: IDEMPOTENCY_HEADER, name } : undefined,
    cacheKey: isRead(declared) && !bypassesCache(ctx) ? ctx.url : undefined,
    announce: (windows) => showWindows(ctx, windows),
  };
  send(request, await run(rest, request));
}

function send(request: RestRequest, { bytes, etag, isReplayed }: Outcome): void {
  const { ctx, operation } = request;
  if (etag !== undefined && isShared(request)) {
    sendPublic(ctx, 'application/json', { bytes, etag });
    return;
  }
  ctx.status = operation.status ?? 200;
  ctx.type = 'application/json';
  ctx.set('Cache-Control', 'no-store');
  if (isReplayed) ctx.set('Idempotent-Replayed', 'true');
  ctx.body = bytes;
  if (etag !== undefined && isUnchanged(ctx, etag)) ctx.status = 304;
}

/**
 * Identifies the caller by its API key, and refuses a wrong key. A key that is no longer valid passes for a DELETE with an
 * idempotency key: the retry of a request that deleted the agent of the key must get the stored answer.
 */
async function callerOf(
  deps: Deps,
  { path, method }: Endpoint,
  ctx: Context,
  isKeyed: boolean,
): Promise<Pick<Request, 'actor' | 'endedKey'>> {
  const key = ctx.get('x-api-key') || undefined;
  // The middleware `limitOutside` has already checked the keys of requests outside /api.
  if (key === undefined || !isUnderApi(path)) return { actor: null };
  try {
    return { actor: await authenticate(deps, key, ctx.state.ip) };
  } catch (refusal) {
    if (!(refusal instanceof KeyEnded) || method !== 'DELETE' || !isKeyed) throw refusal;
    return { actor: null, endedKey: hashKey(key).toString('hex') };
  }
}

/** Returns the body as text, and reads it only once per request. `run` calls this after it has checked the rate limits. */
function bodyOf({ ctx, operation }: RestRequest): Promise<string> {
  ctx.state.body ??= operation.body ? readText(ctx.req, MAX_BYTES) : Promise.resolve('');
  return ctx.state.body;
}

const rest: Transport<RestRequest> = {
  async input(request, deps) {
    const { operation, actor, given: inUrl, ctx } = request;
    const { input, params, query, body, jsonRpc, ignored } = operation;
    const inPath = params && fromTexts(params, inUrl);
    // Parses the path first, so that an error in it is reported before errors in the query and in the body.
    if (params && inPath) parseFields(params, inPath);
    const parameters = new URLSearchParams(ctx.querystring);
    const dropped = ignored?.(actor, inUrl) ?? [];
    for (const name of dropped) parameters.delete(name);
    const inQuery = query && readQuery(parameters);
    const inBody = body && parseBody(await bodyOf(request), jsonRpc);
    refuseMisspelled(input, [...dropped, ...Object.keys({ ...inQuery, ...inBody, ...inPath })]);
    const values = { ...(query && inQuery && fromTexts(query, inQuery)), ...inBody, ...inPath };
    return readFields(deps, input, values, query ? 'INVALID_QUERY' : 'INVALID_FIELD');
  },

  content: async (request) => `${request.ctx.path}\n${await bodyOf(request)}`,

  answer(request, result) {
    const { operation, format } = request;
    const output = format(result);
    const text = JSON.stringify({ success: true, ...output });
    if (isShared(request)) return bytesOf(text);
    const etag = operation.etagText && weakEtag(operation.etagText(output));
    return { bytes: Buffer.from(text), etag };
  },
};
