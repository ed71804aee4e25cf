import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { HeaderMap, type HTTPGraphQLRequest } from '@apollo/server';
import type { GraphQLFormattedError, GraphQLSchema } from 'graphql';
import type { Context } from 'koa';
import { LRUCache } from 'lru-cache';
import type { Deps } from '../../deps.js';
import type { WindowState } from '../../limits/limits.js';
import { once, withinDeadline } from '../../tasks.js';
import { authenticate } from '../authenticate.js';
import { assetOf, sendAsset } from '../http/assets.js';
import { problemHeaders, problemOf } from '../http/problem.js';
import { type Bytes, bypassesCache, publicBytes, sendPublic } from '../http/public-answer.js';
import { LiveApi } from '../live/live-api.js';
import { SocketTransport } from '../live/transport/sockets.js';
import { STREAM_TYPE, serveStream } from '../live/transport/stream.js';
import type { ReadPayloads } from '../live/watch.js';
import { countedWindows, outsideLimit, showWindows, takeLimits, windowsOf } from '../rate-limits.js';
import { type GraphqlCall, readRequest } from './admit.js';
import { Engine, type HttpAnswer, type HttpExecution, PREFLIGHT_HEADERS, RefusedRequest } from './engine.js';
import { formatError, graphError } from './format.js';
import { graphiqlEditor, SCRIPT_PATH } from './graphiql.js';
import { schemaText } from './schema.js';

/** The media types of a GraphQL answer that is not a stream. The first is the default. */
const JSON_TYPE = 'application/json';
const RESPONSE_TYPE = 'application/graphql-response+json';

/** Method and headers of a query that the service sends to itself with `GraphqlApi.answer`. */
const INSIDE = { method: 'POST', headers: { 'content-type': JSON_TYPE }, get: () => '' };

/** The transports of GraphQL, which share one Apollo Server: HTTP, Server-Sent Events and WebSocket. */
export class GraphqlApi {
  readonly #engine: Engine;
  readonly #live: LiveApi;
  readonly #webSocket: SocketTransport;
  readonly #editor = graphiqlEditor();
  readonly #schemaText = once(() => assetOf('text/plain; charset=utf-8', schemaText(this.#engine.schema)));
  /** Negotiates between JSON and a stream. Some clients accept a stream in every request, with the lowest preference. */
  readonly #preferredKind = preferred(JSON_TYPE, RESPONSE_TYPE, STREAM_TYPE);
  /** Negotiates the media type of cached answers, and of refusals that do not come from Apollo Server. */
  readonly #preferredType = preferred(`${JSON_TYPE}; charset=utf-8`, `${RESPONSE_TYPE}; charset=utf-8`);

  /** `known`: documents that the dashboard sends, which stay parsed. */
  constructor(
    private readonly deps: Deps,
    schema: GraphQLSchema,
    readPayloads: ReadPayloads,
    known: readonly string[],
  ) {
    this.#engine = new Engine(deps, schema, known);
    this.#live = new LiveApi(deps, this.#engine, readPayloads);
    this.#webSocket = new SocketTransport(this.#live);
  }

  start = (): Promise<void> => this.#engine.start();
  close = (): void => this.#live.close();

  /** Upgrades a connection to GraphQL over WebSocket, or refuses to. */
  upgrade = (req: IncomingMessage, socket: Duplex, head: Buffer) => this.#webSocket.upgrade(req, socket, head);

  /**
   * Answers a query of the service itself as JSON text, for a page that the client at `ip` requested. That client is charged as for
   * a request. `isComplete`: the answer has no errors.
   */
  async answer(query: string, variables: Readonly<Record<string, unknown>>, ip: string) {
    const call: GraphqlCall = { actor: null, ip, request: { query, variables } };
    const answer = await this.#engine.http(call, (execution) => publicAnswer(INSIDE, execution));
    if ('bytes' in answer) return { json: String(answer.bytes), isComplete: true };
    return { json: textOf(answer), isComplete: answer.state.isComplete === true };
  }

  /** Serves the script of the editor, or the text of the schema for code generators. */
  async serveFile(ctx: Context): Promise<void> {
    if (ctx.path === SCRIPT_PATH) return this.#editor.script(ctx);
    sendAsset(ctx, await this.#schemaText(), 'public, max-age=300');
  }

  async serve(ctx: Context): Promise<void> {
    if (wantsPage(ctx)) {
      // The editor page costs no query points. It counts as a request outside /api.
      await takeLimits(this.deps, ctx, windowsOf([outsideLimit], null, ctx.state.ip));
      return this.#editor.page(ctx);
    }
    ctx.set('Cache-Control', 'no-store');
    // The answer depends on Accept even if it is an error, because errors have the accepted media type, too.
    ctx.vary(['X-Api-Key', 'Accept', COST_HEADER]);
    try {
      await withinDeadline(this.deps.times, this.#answer(ctx), () => ctx.req.complete);
    } catch (error) {
      this.#sendRefusal(ctx, error);
    }
  }

  async #answer(ctx: Context): Promise<void> {
    const { ip } = ctx.state;
    const actor = await authenticate(this.deps, ctx.get('x-api-key') || undefined, ip);
    ctx.state.agent = actor?.agentId;
    const request = await readRequest(ctx);
    const call: GraphqlCall = { actor, ip, request, announce: (...charge) => announceCharge(ctx, ...charge) };
    if (this.#preferredKind(ctx) === STREAM_TYPE) return serveStream(ctx, this.#live, call);
    const type = this.#preferredType(ctx);
    const isExecutable = type !== false && isAllowed(ctx);
    const answer = await this.#engine.http({ ...call, isExecutable }, (execution) => publicAnswer(ctx, execution));
    this.#send(ctx, String(type), answer);
  }

  #send(ctx: Context, type: string, answer: Bytes | HttpAnswer): void {
    if (!('bytes' in answer)) {
      for (const [name, value] of answer.headers) ctx.set(name, value);
      ctx.status = statusOf(answer);
      const hasCost = answer.state.isComplete !== undefined;
      ctx.body = hasCost && !asksForWindow(ctx) ? textOf(answer) : withCost(textOf(answer), shownCost(this.deps, ctx));
    } else if (asksForWindow(ctx)) {
      ctx.status = 200;
      ctx.type = type;
      ctx.body = withCost(String(answer.bytes), shownCost(this.deps, ctx));
    } else {
      sendPublic(ctx, type, answer);
    }
  }

  #sendRefusal(ctx: Context, thrown: unknown): void {
    if (thrown instanceof RefusedRequest) {
      const { status, headers } = thrown.http;
      for (const [name, value] of headers) ctx.set(name, value);
      // Apollo Server answers an unknown persisted query with 200. Clients of streams would take this for a stream, so it becomes
      // 400.
      this.#sendErrors(ctx, Math.max(400, status ?? 0), thrown.errors);
      return;
    }
    const { error, unexpected } = problemOf(thrown);
    if (unexpected) throw thrown;
    ctx.set(problemHeaders(error, countedWindows(ctx)));
    // The client may still be sending the body, so the connection cannot be reused.
    if (!ctx.req.readableEnded && !ctx.req.complete) ctx.set('Connection', 'close');
    this.#sendErrors(ctx, error.status, [formatError(this.deps, graphError(error))]);
  }

  #sendErrors(ctx: Context, status: number, errors: readonly GraphQLFormattedError[]): void {
    ctx.status = status;
    ctx.type = this.#preferredType(ctx) || `${JSON_TYPE}; charset=utf-8`;
    ctx.body = withCost(JSON.stringify({ errors }), shownCost(this.deps, ctx));
  }
}

/**
 * Returns a function that negotiates the media type. The result is cached by the Accept header, because negotiation takes longer
 * than serving a cached answer.
 */
function preferred<Type extends string>(...types: readonly Type[]): (ctx: Context) => Type | false {
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

/** Whether a browser requests the editor page. A request with a query gets an answer instead. */
const wantsPage = (ctx: Context): boolean =>
  (ctx.method === 'GET' || ctx.method === 'HEAD') &&
  ctx.query.query === undefined &&
  ctx.query.extensions === undefined &&
  ctx.accepts('application/json', 'application/graphql-response+json', 'text/html') === 'text/html';

/** Whether Apollo Server will execute the request. Against CSRF, it refuses requests that a page of another site can cause. */
function isAllowed(ctx: Context): boolean {
  const [type = ''] = ctx.get('content-type').toLowerCase().split(';');
  if (type.trim() === 'application/json') return ctx.method === 'POST' || ctx.method === 'GET';
  return ctx.method === 'GET' && type === '' && PREFLIGHT_HEADERS.some((name) => ctx.get(name) !== '');
}

/**
 * With `application/json`, a well-formed request that was not executed is answered with status 200, as the specification GraphQL
 * over HTTP recommends.
 */
function statusOf({ status = 200, headers, state }: HttpAnswer): number {
  const isJson = headers.get('content-type')?.startsWith(JSON_TYPE) === true;
  return status === 400 && isJson && state.isWellFormed ? 200 : status;
}

const COST_HEADER = 'GraphQL-Cost';

/** `extensions.cost`: what a request cost, and what its caller has left. */
type ShownCost = {
  readonly requested: number;
  /** Points left in the window of the caller. null without rate limits. Present only if the request asks for it. */
  readonly remaining?: number | null;
  /** Time when the oldest request leaves the window and its points return. null without rate limits. Present only if asked for. */
  readonly resetAt?: string | null;
};

const asksForWindow = (ctx: Context): boolean => ctx.get(COST_HEADER).toLowerCase() === 'include';

function announceCharge(ctx: Context, windows: readonly WindowState[], points: number): void {
  showWindows(ctx, windows);
  ctx.state.points = points;
}

/** The cost to show in an answer. undefined if the client was refused before it was charged. */
function shownCost({ clock }: Deps, ctx: Context): ShownCost | undefined {
  const requested: number | undefined = ctx.state.points;
  if (requested === undefined) return undefined;
  if (!asksForWindow(ctx)) return { requested };
  // An IPv6 client has two windows. The window with fewer remaining points is shown, because it refuses first.
  const [window] = countedWindows(ctx).toSorted((a, b) => a.remaining - b.remaining);
  if (window === undefined) return { requested, remaining: null, resetAt: null };
  const { remaining, resetSeconds } = window;
  return { requested, remaining, resetAt: new Date(clock.now().getTime() + resetSeconds * 1000).toISOString() };
}

/**
 * Adds the cost to an answer. This parses the text, so an answer that already has `requested` from the plugin in engine.ts comes here
 * only if the client asked for its window, too.
 */
function withCost(text: string, cost: ShownCost | undefined): string {
  if (cost === undefined) return text;
  const answer = JSON.parse(text);
  return JSON.stringify({ ...answer, extensions: { ...answer.extensions, cost } });
}

/** The parts of an HTTP request on which the answer depends, in addition to the query. */
type RequestHead = Pick<Context, 'method' | 'headers' | 'get'>;

/** Thrown inside the load of a cache, to return an answer that is not public. A cache stores nothing if the load throws. */
class PrivateAnswer extends Error {
  constructor(readonly answer: HttpAnswer) {
    super('not cached');
  }
}

/**
 * Answers public queries of callers without a key from a cache with a TTL of one second. Concurrent requests for the same
 * answer share one execution. `Cache-Control: no-cache` bypasses the cache; the answer to a POST with it is private.
 */
async function publicAnswer(ctx: RequestHead, execution: HttpExecution): Promise<Bytes | HttpAnswer> {
  const { request, known, cache } = execution;
  const execute = () => execution.execute(httpRequest(ctx, execution));
  if (cache === undefined || (bypassesCache(ctx) && ctx.method === 'POST')) return execute();
  const key = `${known?.hash} ${request.operationName ?? ''} ${JSON.stringify(request.variables)}`;
  try {
    return await publicBytes(cache, ctx, key, async () => {
      const answer = await execute();
      if (!answer.state.isComplete || answer.status !== undefined) throw new PrivateAnswer(answer);
      return textOf(answer);
    });
  } catch (error) {
    if (error instanceof PrivateAnswer) return error.answer;
    throw error;
  }
}

/** The request for Apollo Server, with exactly the fields that were measured. */
function httpRequest({ method, headers: given }: RequestHead, { request: body }: HttpExecution): HTTPGraphQLRequest {
  const headers = new HeaderMap();
  for (const [name, value] of Object.entries(given)) if (value !== undefined) headers.set(name, String(value));
  const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
  const parameters = method === 'GET' ? Object.entries(body).map(([name, value]) => [name, text(value)]) : [];
  return { method, search: String(new URLSearchParams(parameters)), headers, body };
}

function textOf({ body }: HttpAnswer): string {
  if (body.kind === 'complete') return body.string;
  throw new Error('The schema has no directive @defer, but Apollo Server sends the answer in parts');
}
