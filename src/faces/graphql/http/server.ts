import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FormattedExecutionResult } from 'graphql';
import type { Context } from 'koa';
import type { Deps } from '../../../deps.js';
import { AppError } from '../../../errors.js';
import { authenticate } from '../../access/authenticate.js';
import { outsideRow, windowsOf } from '../../access/limit-rows.js';
import { announce, announced, takeLimits } from '../../access/rate-limit.js';
import { withinDeadline } from '../../http/deadline.js';
import { problemHeaders, problemOf } from '../../http/problem.js';
import { bypassesCache, sendPublic } from '../../http/public-answer.js';
import { graphiqlEditor, wantsPage } from '../editor/graphiql.js';
import type { CacheUse } from '../engine/cached-answers.js';
import { type Call, Engine } from '../engine/engine.js';
import { errorBody, formatError } from '../engine/format.js';
import { badRequest, RefusedRequest } from '../engine/refused-request.js';
import { graphqlSchema } from '../engine/schema.js';
import type { Operation } from '../engine/validate.js';
import { LiveFace } from '../live/face.js';
import { SocketTransport } from '../live/transport/sockets.js';
import { serveStream, streamPreference } from '../live/transport/stream.js';
import { answerPreference, JSON_TYPE, RESPONSE_TYPE } from './media-types.js';
import { checkHttp, readRequest } from './read-request.js';

export type GraphqlFace = ReturnType<typeof graphqlFace>;

/** Creates the transports of GraphQL, which share one engine: HTTP, Server-Sent Events and WebSocket. */
export function graphqlFace(deps: Deps) {
  const engine = new Engine(deps, graphqlSchema({ keyReplacement: deps.config.KEY_REPLACEMENT === 'on' }));
  const live = new LiveFace(deps, engine);
  const editor = graphiqlEditor();
  const http = new HttpTransport(deps, engine, live, editor.page);
  const webSocket = new SocketTransport(live);
  return {
    serve: (ctx: Context): Promise<void> => http.serve(ctx),
    /** Serves the script of the editor. */
    serveEditorScript: editor.script,
    /** Upgrades a connection to GraphQL over WebSocket, or refuses to. */
    upgrade: (req: IncomingMessage, socket: Duplex, head: Buffer) => webSocket.upgrade(req, socket, head),
    /** Ends the open connections. */
    close: () => live.close(),
  };
}

class HttpTransport {
  readonly #wantsStream = streamPreference();
  readonly #preferredType = answerPreference();

  constructor(
    private readonly deps: Deps,
    private readonly engine: Engine,
    private readonly live: LiveFace,
    private readonly sendEditor: (ctx: Context) => Promise<void>,
  ) {}

  async serve(ctx: Context): Promise<void> {
    if (wantsPage(ctx)) {
      // The editor costs no query points. It counts as a request outside /api.
      await takeLimits(this.deps, ctx, windowsOf([outsideRow(ctx.path)], null, ctx.state.ip));
      return this.sendEditor(ctx);
    }
    ctx.set('Cache-Control', 'no-store');
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
    const call: Call = { actor, ip, request, announce: (windows) => announce(ctx, windows) };
    if (this.#wantsStream(ctx)) return serveStream(ctx, this.live, call);
    const type = this.#preferredType(ctx);
    const outcome = await this.engine.run({
      ...call,
      check: () => checkHttp(ctx, request, type),
      checkOperation: (operation) => checkOperation(ctx, operation),
      cache: cacheUse(ctx),
    });
    if (outcome.kind === 'public') return sendPublic(ctx, `${type}; charset=utf-8`, outcome.bytes);
    if (outcome.kind !== 'private') return;
    if (outcome.result.extensions?.idempotentReplayed) ctx.set('Idempotent-Replayed', 'true');
    this.#send(ctx, 'data' in outcome.result ? 200 : this.#statusOfRefusal(ctx), outcome.result);
  }

  #sendRefusal(ctx: Context, thrown: unknown): void {
    if (thrown instanceof RefusedRequest) {
      const { status = this.#statusOfRefusal(ctx), headers = {} } = this.#wantsStream(ctx)
        ? { status: 400 }
        : (thrown.http ?? {});
      ctx.set(headers);
      this.#send(ctx, status, { errors: thrown.errors.map((error) => formatError(this.deps, error)) });
      return;
    }
    const { error, unexpected } = problemOf(thrown);
    if (unexpected) throw thrown;
    ctx.set(problemHeaders(error, announced(ctx)));
    // The client may still be sending the body, so the connection cannot be reused.
    if (!ctx.req.readableEnded && !ctx.req.complete) ctx.set('Connection', 'close');
    this.#send(ctx, error.status, { errors: [errorBody(error)] });
  }

  /** Status of a well-formed request that was not executed. With `application/json` it is 200. */
  #statusOfRefusal(ctx: Context): number {
    return this.#preferredType(ctx) === RESPONSE_TYPE ? 400 : 200;
  }

  #send(ctx: Context, status: number, result: FormattedExecutionResult): void {
    ctx.status = status;
    ctx.type = `${this.#preferredType(ctx) || JSON_TYPE}; charset=utf-8`;
    ctx.body = JSON.stringify(result);
  }
}

/** Refuses subscriptions, which plain HTTP cannot stream, and mutations by GET, which another site could forge. */
function checkOperation(ctx: Context, { node }: Operation): void {
  if (node.operation === 'query') ctx.vary(['X-Api-Key', 'Accept']);
  if (node.operation === 'subscription') {
    const expected = 'text/event-stream, or subscribe over WebSocket: docs/live.md says how';
    throw new AppError('INVALID_FIELD', { field: 'Accept', expected });
  }
  if (node.operation === 'mutation' && ctx.method === 'GET') {
    throw badRequest('A GET request can only execute a query', 405, { Allow: 'POST' });
  }
}

/** `Cache-Control: no-cache` bypasses the cache. The answer to a POST with this header is private, without an ETag. */
function cacheUse(ctx: Context): CacheUse {
  if (!bypassesCache(ctx)) return 'read';
  return ctx.method === 'POST' ? undefined : 'bypass';
}
