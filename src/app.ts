import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener } from 'node:http';
import type { Duplex } from 'node:stream';
import { type Span, SpanKind, SpanStatusCode } from '@opentelemetry/api';
import Koa, { type Context, type Middleware, type Next } from 'koa';
import { VERSION } from './config/config.js';
import type { Deps } from './deps.js';
import { AppError, type ErrorCode } from './errors/errors.js';
import { serveCrawlers } from './features/dashboard/crawlers.js';
import { serveDashboard } from './features/dashboard/dashboard.js';
import { servePictures } from './features/dashboard/pictures/pictures.js';
import { endpoints, pathLimits, tags, toolsFor } from './features/features.js';
import { serveDocuments } from './features/guides/documents.js';
import { serveRegistrationFiles } from './features/guides/registration-files.js';
import { serveInternal } from './features/operator/internal.js';
import { metricsHandler } from './features/operator/metrics.js';
import { serveWebhook, WEBHOOK_PATH } from './features/operator/webhook.js';
import { scoringOverdue } from './features/seasons/seasons.js';
import type { Api } from './observe/metrics.js';
import { inRequest, scopeOfRequest } from './observe/request-scope.js';
import { type Description, tracedRequest } from './observe/spans.js';
import { limitOutside } from './server/authenticate.js';
import { clientAddress } from './server/client-address.js';
import { endWith } from './server/http/client-errors.js';
import { forwardedWarning, type Guard, guard, type OriginRule, originRule } from './server/http/origins.js';
import { described, logUnexpected, problemBody, problemHeaders, problemOf } from './server/http/problem.js';
import { serveRoutes } from './server/http/routes.js';
import type { Endpoint } from './server/operation.js';
import { countedWindows, isProbe, isUnderApi } from './server/rate-limits.js';
import { mount } from './server/rest/rest.js';
import { withinDeadline } from './tasks.js';

export type App = {
  callback(): RequestListener;
  /** Serves only /metrics and the probes, for the listener of METRICS_PORT. */
  metrics(): RequestListener;
  upgrade(req: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Ends connections that would stay open, such as subscriptions. */
  close(): Promise<void>;
};

const GRAPHQL_PATH = '/graphql';
const MCP_PATH = '/mcp';

/**
 * Paths that programs call. Errors under these paths are always JSON and never a page, because the HTTP clients of some languages
 * accept `text/html` by default.
 */
const FOR_PROGRAMS = /^\/(api|graphql|mcp|internal|dev|webhooks)(\/|$)/;

/** Only /graphql upgrades to WebSocket. The Upgrade header of other requests is ignored. */
export const mayUpgrade = ({ url = '', headers }: IncomingMessage): boolean =>
  url.split('?')[0] === GRAPHQL_PATH && headers.upgrade?.toLowerCase() === 'websocket';

/** Creates the Koa app with all APIs. It does not listen, so tests can use it without a socket. */
export function createApp(deps: Deps): App {
  const isAllowedOrigin = originRule(deps.config);
  const declared = endpoints(deps.config);
  const router = mount(deps, declared);
  const tools = toolsFor(deps.config);
  const guides = serveDocuments(deps, router, { endpoints: declared, tools, tags });
  serveRegistrationFiles(deps, router);
  const serveMetrics = metricsHandler(deps, () => scoringOverdue(deps));
  if (deps.config.METRICS_PORT === undefined) router.get('/metrics', serveMetrics);
  servePictures(deps, router);
  serveCrawlers(deps, router);
  const { WEBHOOK_SIGNING_KEY: signingKeys } = deps.config;
  if (signingKeys) router.post(WEBHOOK_PATH, (ctx) => serveWebhook(deps, signingKeys, ctx));
  serveInternal(deps, router);
  const graphql = lazy(async () => (await import('./features/graphql.js')).graphqlApi(deps));
  const serveGraphql = async (ctx: Context): Promise<void> => (await graphql.get()).serve(ctx);
  router.register(GRAPHQL_PATH, ['GET', 'POST'], serveGraphql);
  router.get(['/graphql/graphiql.js', '/graphql/schema.graphql'], async (ctx) => (await graphql.get()).serveFile(ctx));
  const sendNotFound = serveDashboard(router, deps, async (...query) => (await graphql.get()).answer(...query));
  const mcp = lazy(async () => (await import('./server/mcp/server.js')).mcpApi(deps, guides, VERSION, tools));
  router.post(MCP_PATH, async (ctx) => (await mcp.get()).serve(ctx));
  const warnOfForwarded = forwardedWarning(deps);
  const upgrade = upgrades(deps, isAllowedOrigin, graphql.get);
  const check = guard(isAllowedOrigin, deps.config.CORS_ORIGINS);
  const app = guarded(deps, (ctx) => {
    warnOfForwarded(ctx.req);
    return check(ctx);
  });
  app.use(limitOutside(deps, pathLimits));
  app.use(serveRoutes(deps, router, async (ctx) => !FOR_PROGRAMS.test(ctx.path) && sendNotFound(ctx)));
  return {
    callback: () => app.callback(),
    metrics: () => metricsApp(deps, isAllowedOrigin, declared, serveMetrics).callback(),
    upgrade(req, socket, head) {
      warnOfForwarded(req);
      upgrade(req, socket, head);
    },
    async close() {
      // An API that was never loaded, or failed to load, has nothing to close.
      for (const api of [graphql, mcp]) await (await api.loaded().catch(() => undefined))?.close();
    },
  };
}

/** Upgrades connections to GraphQL over WebSocket. If it refuses an upgrade, it counts a failure in the metrics. */
function upgrades(
  { log, metrics, times }: Deps,
  isAllowedOrigin: OriginRule,
  graphql: () => Promise<Pick<App, 'upgrade'>>,
): App['upgrade'] {
  const refuse = (socket: Duplex, code: ErrorCode) => {
    metrics.countError('graphql', code);
    endWith(socket, new AppError(code), times);
  };
  return (req, socket, head) => {
    const { origin } = req.headers;
    if (origin !== undefined && !isAllowedOrigin(origin, req.socket.localPort)) {
      log.info({ method: req.method, route: GRAPHQL_PATH, status: 403 }, 'upgrade refused');
      return refuse(socket, 'ORIGIN_REFUSED');
    }
    if (!mayUpgrade(req)) return refuse(socket, 'NOT_FOUND');
    graphql().then(
      (api) => api.upgrade(req, socket, head),
      (error: unknown) => {
        log.error({ err: error }, 'GraphQL is not loaded');
        refuse(socket, 'INTERNAL');
      },
    );
  };
}

/** Creates an app with the middlewares that every listener needs. `check` is the guard of this listener. */
function guarded(deps: Deps, check: Guard): Koa {
  const app = new Koa();
  app.use(observe(deps));
  app.use(async (ctx, next) => {
    if (check(ctx)) return;
    // Schedulers call the paths under /internal/. They have no deadline, because scoring may take minutes.
    if (ctx.path.startsWith('/internal/')) await next();
    else await withinDeadline(deps.times, next(), () => ctx.req.complete);
  });
  // The middleware `observe` catches the errors of requests, so an error that arrives here comes from a broken connection.
  app.on('error', (error: unknown) => deps.log.debug({ err: error }, 'connection error'));
  return app;
}

/** The app for the listener of METRICS_PORT. It serves only /metrics and the probes. */
function metricsApp(deps: Deps, isAllowedOrigin: OriginRule, declared: readonly Endpoint[], serveMetrics: Middleware): Koa {
  // This guard gets no CORS_ORIGINS, so no page of another origin can read the metrics.
  const app = guarded(deps, guard(isAllowedOrigin));
  const router = mount(
    deps,
    declared.filter(({ path }) => isProbe(path)),
  );
  router.get('/metrics', serveMetrics);
  app.use(serveRoutes(deps, router));
  return app;
}

/** Preloads GraphQL and MCP, so that the first request does not wait for them. */
export async function loadApis(): Promise<void> {
  await import('./features/graphql.js');
  await import('./server/mcp/server.js');
}

/** Loads an API at its first request: the modules and the schema take most of a second, which would delay the start. */
function lazy<Api>(load: () => Promise<Api>) {
  let api: Promise<Api> | undefined;
  return {
    get(): Promise<Api> {
      api ??= load();
      return api;
    },
    loaded: async (): Promise<Api | undefined> => api,
  };
}

/** The outermost middleware: sets request id and client address, answers errors, counts the request and logs one line. */
function observe({ config, log, metrics, outages }: Deps) {
  const serve = async (ctx: Context, next: Next, id: string, span: Span): Promise<void> => {
    const started = performance.now();
    // Koa's `ctx.path` throws for a malformed request target, so this takes the path from the raw URL.
    const [path = ''] = ctx.url.split('?');
    ctx.state.ip = clientAddress(ctx.req.socket.remoteAddress ?? '', ctx.get('x-forwarded-for') || undefined, config.TRUST_PROXY);
    ctx.set('X-Request-Id', id);
    try {
      await next();
    } catch (thrown) {
      const { error, unexpected } = problemOf(thrown);
      if (unexpected) logUnexpected(log, thrown, { id });
      else if (error.status >= 500 && error.cause) log.debug({ id, error: described(error.cause) }, error.message);
      answerProblem(ctx, error);
      if (isCounted(path)) metrics.countError(apiOf(path), error.code);
    }
    // Without `Connection: close`, the server would receive the rest of an unread body until the request timeout.
    if (!ctx.req.complete && !ctx.headerSent) ctx.set('Connection', 'close');
    const milliseconds = performance.now() - started;
    const time = Math.round(milliseconds * 10) / 10;
    const route: string | null = ctx.state.route ?? ctx._matchedRoute ?? null;
    if (isCounted(path)) metrics.requests.observe(labelsOf(ctx, route), milliseconds / 1000);
    describeAnswer(span, ctx, route);
    const line = { id, method: ctx.method, route, status: ctx.status, time, agent: ctx.state.agent };
    log[isCounted(path) ? 'info' : 'debug'](line, 'request');
    if (UNAVAILABLE.some((code) => scopeOfRequest()?.failures.has(code))) outages.suspect();
  };
  return (ctx: Context, next: Next) => {
    const id = requestId(ctx.get('x-request-id'), config.TRUST_PROXY);
    const description = requestSpan(ctx, id);
    return inRequest(() => tracedRequest(ctx.headers, description, (span) => serve(ctx, next, id, span)), id);
  };
}

/** Failures that may be caused by an unavailable part. After one of them, the parts are checked soon (`Outages.suspect`). */
const UNAVAILABLE: readonly ErrorCode[] = ['DATABASE_UNAVAILABLE', 'OUTCOME_UNKNOWN', 'CHAIN_UNAVAILABLE'];

/** The id of a request: the id that a trusted proxy sent, so that the logs of both agree, otherwise a random id. */
const requestId = (given: string, trustProxy: number): string =>
  trustProxy > 0 && /^[\w.-]{8,128}$/.test(given) ? given : randomUUID();

/**
 * Whether a request counts in the metrics and is logged at level info. Probes and scrapes of /metrics do not count, and are logged
 * at level debug: they are so frequent that they would hide the requests of callers.
 */
const isCounted = (path: string): boolean => !isProbe(path) && path !== '/metrics';

const apiOf = (path: string): Api =>
  isUnderApi(path) ? 'rest' : path === GRAPHQL_PATH ? 'graphql' : path === MCP_PATH ? 'mcp' : 'other';

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'OPTIONS']);
/**
 * Labels of a request in the metrics. `route` is the pattern that the path matched, if any: raw paths would create unbounded label
 * values.
 */
const labelsOf = ({ method, status }: Context, route: string | null) => ({
  method: METHODS.has(method) ? method : 'other',
  route: route ?? 'none',
  status,
});

/** The span of a request. It does not contain the path, because a path may contain a secret, such as a verification code. */
const requestSpan = ({ method }: Context, id: string): Description => ({
  name: method,
  kind: SpanKind.SERVER,
  attributes: { 'http.request.method': method, 'curvet.request_id': id },
});

function describeAnswer(span: Span, { method, status }: Context, route: string | null): void {
  if (route !== null) span.updateName(`${method} ${route}`).setAttribute('http.route', route);
  span.setAttribute('http.response.status_code', status);
  if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
}

function answerProblem(ctx: Context, error: AppError): void {
  ctx.status = error.status;
  ctx.type = 'application/json';
  ctx.set(problemHeaders(error, countedWindows(ctx)));
  ctx.body = JSON.stringify(problemBody(error));
}
