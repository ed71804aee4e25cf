import 'reflect-metadata';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { ApolloServer } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginLandingPageDisabled,
} from '@apollo/server/plugin/disabled';
import { koaMiddleware } from '@as-integrations/koa';
import { type DocumentNode, getOperationAST, OperationTypeNode } from 'graphql';
import type { Context } from 'koa';
import type { Deps } from '../../../deps.js';
import { AppError } from '../../../errors.js';
import { authenticate } from '../../access/authenticate.js';
import { outsideRow, windowsOf } from '../../access/limit-rows.js';
import { announce, announced, takeLimits } from '../../access/rate-limit.js';
import { withinDeadline } from '../../http/deadline.js';
import { problemHeaders, problemOf } from '../../http/problem.js';
import { graphiql, wantsPage } from '../editor/graphiql.js';
import { LiveFace } from '../live/face.js';
import { Refused } from '../live/operation.js';
import { sockets } from '../live/transport/sockets.js';
import { serveStream, wantsStream } from '../live/transport/stream.js';
import { admission, KEPT } from './admission.js';
import { queryAnswers } from './answers.js';
import { Bounded } from './bounded-map.js';
import { contextOf, type GraphContext } from './context.js';
import { errorBody, formatError } from './errors.js';
import { type GraphRequest, readGet, readPost } from './request.js';
import { graphqlSchema } from './schema.js';

export type GraphqlFace = {
  serve(ctx: Context): Promise<void>;
  /** Makes a connection one of GraphQL over WebSocket, or refuses to. */
  upgrade(req: IncomingMessage, socket: Duplex, head: Buffer): Promise<void>;
  /** Ends what is open. */
  close(): void;
};

/**
 * The GraphQL face: key, cost and limits are judged here, before Apollo sees the request; Apollo validates and executes.
 * Apollo keeps validated documents, and the admission those that keep the limits.
 */
export async function graphqlFace(deps: Deps): Promise<GraphqlFace> {
  const schema = graphqlSchema();
  const persisted = new Bounded<string>(KEPT);
  const admitted = admission(deps, schema, persisted);
  const answerQuery = queryAnswers(deps, schema);
  const apollo = new ApolloServer<GraphContext>({
    schema,
    introspection: true,
    csrfPrevention: true,
    stopOnTerminationSignals: false,
    includeStacktraceInErrorResponses: false,
    persistedQueries: {
      cache: {
        get: async (key) => persisted.get(key),
        set: async (key, text) => persisted.set(key, text),
        delete: async (key) => persisted.delete(key),
      },
    },
    formatError: (formatted, thrown) => formatError(deps, formatted, thrown),
    plugins: [ApolloServerPluginCacheControlDisabled(), ApolloServerPluginLandingPageDisabled()],
    logger: deps.log.child({ part: 'graphql' }),
  });
  await apollo.start();
  const execute = koaMiddleware(apollo, { context: async ({ ctx }) => ctx.state.graphql as GraphContext });
  const live = new LiveFace(deps, schema, admitted, apollo);

  async function serve(ctx: Context): Promise<void> {
    if (wantsPage(ctx)) {
      // The page costs no points: it counts with the other pages.
      await takeLimits(deps, ctx, windowsOf([outsideRow(ctx.path)], null, ctx.state.ip));
      return graphiql(ctx);
    }
    ctx.set('Cache-Control', 'no-store');
    try {
      await withinDeadline(execution(ctx), () => ctx.req.complete);
    } catch (error) {
      if (error instanceof Refused) {
        const errors = error.errors.map((each) => formatError(deps, each.toJSON(), each));
        return answer(ctx, 400, errors);
      }
      const { error: known, unexpected } = problemOf(error);
      if (unexpected) throw error;
      ctx.set(problemHeaders(known, announced(ctx)));
      answer(ctx, known.status, [errorBody(known)]);
    }
  }

  async function execution(ctx: Context): Promise<void> {
    const actor = await authenticate(deps, ctx.get('x-api-key') || undefined, ctx.state.ip);
    ctx.state.agent = actor?.agentId;
    const request = ctx.method === 'POST' ? await readPost(ctx) : readGet(ctx);
    const context = () => contextOf(deps, actor, ctx.state.ip);
    if (wantsStream(ctx)) return await serveStream(ctx, live, context(), request);
    const { document } = await admitted.admit({ actor, ip: ctx.state.ip }, request, (windows) =>
      announce(ctx, windows),
    );
    if (document && (await answerQuery(ctx, document, request, context))) return;
    if (document && isSubscription(document, request)) throw new AppError('INVALID_FIELD', STREAM_WANTED);
    ctx.state.graphql = context();
    (ctx.request as { body?: unknown }).body = request;
    await execute(ctx, async () => {});
    settleStatus(ctx);
  }

  return { serve, upgrade: sockets(live), close: () => live.close() };
}

/**
 * In application/json a well-formed request has the status 200 whatever the errors say; the newer media type has 400
 * where nothing was executed. What is no request at all is 400 in both.
 */
function settleStatus(ctx: Context): void {
  if (ctx.status !== 400 || !ctx.response.is('application/json') || typeof ctx.body !== 'string') return;
  const { errors = [] } = JSON.parse(ctx.body) as { errors?: { extensions?: { code?: string } }[] };
  if (errors.every(({ extensions }) => extensions?.code !== 'BAD_REQUEST')) ctx.status = 200;
}

/** A subscription has no single answer. */
const STREAM_WANTED = {
  field: 'Accept',
  expected: 'text/event-stream, or subscribe over WebSocket: docs/live.md says how',
};

const isSubscription = (document: DocumentNode, { operationName }: GraphRequest): boolean =>
  getOperationAST(document, typeof operationName === 'string' ? operationName : undefined)?.operation ===
  OperationTypeNode.SUBSCRIPTION;

/** Makes the schema, before somebody asks for it. */
export function prepare(): void {
  graphqlSchema();
}

/** A refusal of the whole request, in the shape of GraphQL. */
function answer(ctx: Context, status: number, errors: readonly unknown[]): void {
  const type = ctx.accepts('application/json', 'application/graphql-response+json');
  ctx.status = status;
  ctx.type = `${type || 'application/json'}; charset=utf-8`;
  if (!ctx.req.readableEnded && !ctx.req.complete) ctx.set('Connection', 'close');
  ctx.body = JSON.stringify({ errors });
}
