import { ApolloServer } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginLandingPageDisabled,
} from '@apollo/server/plugin/disabled';
import { koaMiddleware } from '@as-integrations/koa';
import type { DocumentNode } from 'graphql';
import type { Context } from 'koa';
import type { Deps } from '../../deps.js';
import { AppError } from '../../errors.js';
import { type Actor, authenticate } from '../authenticate.js';
import { type LimitRow, windowsOf } from '../limitrows.js';
import { takeLimits } from '../ratelimit.js';
import { Bounded } from './bounded.js';
import { contextOf, type GraphContext } from './context.js';
import { errorBody, formatError } from './errors.js';
import { graphiql, wantsPage } from './graphiql.js';
import { costOf } from './limits.js';
import {
  checkVariables,
  type GraphRequest,
  isRecord,
  persistedHash,
  readDocument,
  readGet,
  readPost,
} from './request.js';
import { graphqlSchema } from './schema.js';

/** Points of cost, not requests. */
const PER_IP: LimitRow = { name: 'graphql', max: 6000, seconds: 60, per: 'ip' };
const PER_KEY: LimitRow = { name: 'graphql', max: 12_000, seconds: 60, per: 'key' };

/** As many documents and persisted queries as are kept. */
const KEPT = 500;

const PERSISTED = 'apq:';

/**
 * The GraphQL face: key, cost and limits are judged here, before Apollo sees the request; Apollo validates and executes.
 * Apollo keeps validated documents, and `documents` those that keep the limits.
 */
export async function graphqlFace(deps: Deps): Promise<(ctx: Context) => Promise<void>> {
  const schema = graphqlSchema();
  const documents = new Bounded<DocumentNode>(KEPT);
  const persisted = new Bounded<string>(KEPT);
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

  /** The cost of a request, if it keeps the limits of a single one. What is no GraphQL at all costs 1. */
  function judge(request: GraphRequest): number {
    const hash = persistedHash(request);
    const text = request.query ?? (hash === undefined ? undefined : persisted.get(PERSISTED + hash));
    if (typeof text !== 'string') return 1;
    const document = documents.get(text) ?? readDocument(text);
    if (document === null) return 1;
    documents.set(text, document);
    const variables = isRecord(request.variables) ? request.variables : {};
    checkVariables(document, variables);
    const { operationName } = request;
    return costOf(schema, document, typeof operationName === 'string' ? operationName : undefined, variables);
  }

  /** A request that is refused for what it asks counts as the cheapest does. */
  async function admit(ctx: Context, actor: Actor | null, request: GraphRequest): Promise<void> {
    let cost = 1;
    let refusal: unknown;
    try {
      cost = judge(request);
    } catch (error) {
      refusal = error;
    }
    const windows = windowsOf([actor ? PER_KEY : PER_IP], actor, ctx.state.ip);
    await takeLimits(
      deps,
      ctx,
      windows.map((window) => ({ ...window, cost })),
    );
    if (refusal !== undefined) throw refusal;
  }

  return async (ctx) => {
    if (wantsPage(ctx)) return graphiql(ctx);
    ctx.set('Cache-Control', 'no-store');
    try {
      const actor = await authenticate(deps, ctx.get('x-api-key') || undefined, ctx.state.ip);
      ctx.state.agent = actor?.agentId;
      const request = ctx.method === 'POST' ? await readPost(ctx) : readGet(ctx);
      await admit(ctx, actor, request);
      ctx.state.graphql = contextOf(deps, actor, ctx.state.ip);
      (ctx.request as { body?: unknown }).body = request;
      await execute(ctx, async () => {});
      settleStatus(ctx);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      answer(ctx, error);
    }
  };
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

/** Makes the schema, before somebody asks for it. */
export function prepare(): void {
  graphqlSchema();
}

/** A refusal of the whole request, in the shape of GraphQL. */
function answer(ctx: Context, error: AppError): void {
  const type = ctx.accepts('application/json', 'application/graphql-response+json');
  ctx.status = error.status;
  ctx.type = `${type || 'application/json'}; charset=utf-8`;
  if (error.retryAfter !== undefined) ctx.set('Retry-After', String(error.retryAfter));
  if (!ctx.req.readableEnded && !ctx.req.complete) ctx.set('Connection', 'close');
  ctx.body = JSON.stringify({ errors: [errorBody(error)] });
}
