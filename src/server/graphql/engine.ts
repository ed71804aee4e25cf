import {
  ApolloServer,
  type ApolloServerPlugin,
  type GraphQLRequestListener,
  HeaderMap,
  type HTTPGraphQLHead,
  type HTTPGraphQLRequest,
  type HTTPGraphQLResponse,
} from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginSchemaReportingDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import { type Span, SpanStatusCode } from '@opentelemetry/api';
import {
  createSourceEventStream,
  type DocumentNode,
  type ExecutionResult,
  execute,
  type FormattedExecutionResult,
  GraphQLError,
  type GraphQLFormattedError,
  type GraphQLSchema,
  getOperationAST,
  type OperationDefinitionNode,
} from 'graphql';
import type { Cache } from '../../cache/cache.js';
import type { Deps } from '../../deps.js';
import { AppError } from '../../errors/errors.js';
import type { Actor } from '../../keys.js';
import { outageOf } from '../../observe/database-errors.js';
import { tracedOperation } from '../../observe/spans.js';
import { problemHeaders } from '../http/problem.js';
import { Watch } from '../live/watch.js';
import { readDeps } from '../run.js';
import { Admission, type Admitted, type Caller, type GraphqlCall } from './admit.js';
import type { GraphContext } from './context.js';
import { Documents } from './documents.js';
import { formatError, graphError } from './format.js';

/** Headers that a page of another site cannot send. Against CSRF, a GET needs one of them, or Content-Type: application/json. */
export const PREFLIGHT_HEADERS = ['apollo-require-preflight', 'x-apollo-operation-name'];

export type GraphqlOperation = {
  readonly document: DocumentNode;
  readonly documentHash: string;
  readonly node: OperationDefinitionNode;
  readonly operationName: string | undefined;
  readonly variableValues: Readonly<Record<string, unknown>>;
  readonly cost: number;
};

/** What the transport of a request tells the plugin of Apollo Server. */
type Transport = {
  /** Whether the transport can send the events of a subscription. */
  readonly isLive: boolean;
  /** Whether mutations may be executed. false if a page of another site can forge the request. */
  readonly mayWrite: boolean;
  /** Sequence after which a client resumes, such as Last-Event-ID. It replaces the argument `after`. undefined: `after` counts. */
  readonly lastSeen?: string | undefined;
};

/** State of one request that its transport and the plugin share. */
type RequestState = {
  readonly admitted: Admitted;
  readonly transport: Transport;
  operation?: GraphqlOperation;
  /** What the subscription watches, if it was accepted. */
  watch?: Watch;
  /** Whether Apollo Server found no error. */
  isComplete?: boolean;
  /** Whether the errors say that the document or its values are wrong, not the HTTP request. */
  isWellFormed?: boolean;
};

/** The context of a request. Apollo Server copies it, but not the objects in it, so its plugin and the transport share `state`. */
type ApolloContext = GraphContext & { readonly state: RequestState };

export type HttpAnswer = HTTPGraphQLResponse & { readonly state: RequestState };

/** A request of plain HTTP that was admitted. */
export type HttpExecution = Admitted & {
  /** The cache for the answer. undefined if the answer is not the same for all callers without a key. */
  readonly cache: Cache | undefined;
  /** Lets Apollo Server answer the request, which must contain the fields of `request`. */
  readonly execute: (request: HTTPGraphQLRequest) => Promise<HttpAnswer>;
};

/** A subscription that was accepted. The hub sends its events. */
export type Subscription = { readonly operation: GraphqlOperation; readonly watch: Watch; readonly context: GraphContext };

type Outcome =
  | ({ readonly kind: 'subscription' } & Subscription)
  | { readonly kind: 'answer'; readonly operation: GraphqlOperation; readonly result: FormattedExecutionResult };

/** Thrown for a request over Server-Sent Events or WebSocket that Apollo Server did not execute. */
export class RefusedRequest extends Error {
  constructor(
    readonly errors: readonly GraphQLFormattedError[],
    readonly http: HTTPGraphQLHead,
  ) {
    super(errors[0]?.message);
  }
}

/** Executes the GraphQL requests of every transport with one Apollo Server, within the limits of the service. */
export class Engine {
  readonly #admission: Admission;
  readonly #server: ApolloServer<ApolloContext>;

  constructor(
    private readonly deps: Deps,
    readonly schema: GraphQLSchema,
    /** Documents that are parsed once and never evicted. */
    known: readonly string[] = [],
  ) {
    const documents = new Documents(schema, known);
    this.#admission = new Admission(deps, schema, documents);
    this.#server = apolloServer(deps, schema, documents);
  }

  start = (): Promise<void> => this.#server.start();

  /** Admits a request of plain HTTP. `answer` then lets Apollo Server execute it, or takes an answer from a cache. */
  http<T>(call: GraphqlCall, answer: (execution: HttpExecution) => Promise<T>): Promise<T> {
    return tracedOperation('graphql', async (span) => {
      const admitted = await this.#admit(call, span);
      const source = this.#sourceOf(call, admitted);
      const execute = async (httpGraphQLRequest: HTTPGraphQLRequest) => {
        // For plain HTTP, Apollo Server itself refuses a mutation by GET, and requests that a page of another site can send.
        const state: RequestState = { admitted, transport: { isLive: false, mayWrite: true } };
        const context = async () => this.#contextOf(source, call, state);
        const given = await this.#server.executeHTTPGraphQLRequest({ httpGraphQLRequest, context });
        if ((given.status ?? 200) >= 400) span.setStatus({ code: SpanStatusCode.ERROR });
        return { ...given, state };
      };
      const isShared = call.actor === null && admitted.known?.isPublic;
      return answer({ ...admitted, cache: isShared ? source.caches.graphqlAnswers : undefined, execute });
    });
  }

  /**
   * Answers a request over Server-Sent Events or WebSocket. It begins a trace if none is running. Throws RefusedRequest or an
   * AppError if the request is refused.
   */
  live(call: GraphqlCall, transport: Omit<Transport, 'isLive'>): Promise<Outcome> {
    return tracedOperation('graphql', async (span): Promise<Outcome> => {
      const admitted = await this.#admit(call, span);
      const state: RequestState = { admitted, transport: { ...transport, isLive: true } };
      const context = this.#contextOf(this.#sourceOf(call, admitted), call, state);
      const { body, http } = await this.#server.executeOperation(admitted.request, { contextValue: context });
      const { operation, watch } = state;
      if (operation && watch) return { kind: 'subscription', operation, watch, context };
      const result = body.kind === 'single' ? body.singleResult : {};
      if (operation && operation.node.operation !== 'subscription') return { kind: 'answer', operation, result };
      throw new RefusedRequest(result.errors ?? [], http);
    });
  }

  async #admit(call: GraphqlCall, span: Span): Promise<Admitted> {
    const admitted = await this.#admission.admit(call);
    const node = admitted.known && getOperationAST(admitted.known.document, admitted.request.operationName);
    if (node) describe(span, node);
    return admitted;
  }

  /** The dependencies with which an operation reads. Only public queries may read from a read replica of the database. */
  #sourceOf({ actor }: Caller, { known }: Admitted): Deps {
    return known?.isPublic ? readDeps(this.deps, actor) : this.deps;
  }

  #contextOf(source: Deps, { actor, ip }: Caller, state: RequestState): ApolloContext {
    return { ...contextOf(source, actor, ip), state };
  }

  /** Executes and formats a subscription for one event. Throws if the database is unavailable, so that the hub retries. */
  async answerEvent(operation: GraphqlOperation, contextValue: GraphContext, rootValue: unknown): Promise<string> {
    const { data, errors } = await execute({ ...operation, schema: this.schema, contextValue, rootValue });
    const outage = errors?.find((error) => outageOf(error));
    if (outage) throw outage;
    return JSON.stringify({ errors: errors?.map((error) => formatError(this.deps, error)), data });
  }
}

export function contextOf(deps: Deps, actor: Actor | null, ip: string): GraphContext {
  return { deps, actor, ip, loaders: new Map(), mutation: undefined, replayed: [] };
}

const MAX_NAME = 100;

function describe(span: Span, { operation, name }: OperationDefinitionNode): void {
  span.updateName(`graphql ${operation}`).setAttribute('graphql.operation.type', operation);
  if (name) span.setAttribute('graphql.operation.name', name.value.slice(0, MAX_NAME));
}

function apolloServer(deps: Deps, schema: GraphQLSchema, documents: Documents): ApolloServer<ApolloContext> {
  return new ApolloServer<ApolloContext>({
    schema,
    documentStore: documents.documentStore,
    persistedQueries: documents.persistedQueries,
    csrfPrevention: { requestHeaders: PREFLIGHT_HEADERS },
    introspection: true,
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    formatError: (_, error) => formatError(deps, error instanceof GraphQLError ? error : graphError(error as Error)),
    stringifyResult: (result) => JSON.stringify(result),
    logger: deps.log,
    plugins: [
      ApolloServerPluginCacheControlDisabled(),
      ApolloServerPluginInlineTraceDisabled(),
      ApolloServerPluginLandingPageDisabled(),
      ApolloServerPluginSchemaReportingDisabled(),
      ApolloServerPluginUsageReportingDisabled(),
      plugin(deps, schema, documents),
    ],
  });
}

/**
 * Plugin of Apollo Server. It refuses operations that were not measured or that the transport does not support, answers compiled
 * queries, starts subscriptions, adds costs to answers, and marks replayed mutations.
 */
function plugin(deps: Deps, schema: GraphQLSchema, documents: Documents): ApolloServerPlugin<ApolloContext> {
  const listener: GraphQLRequestListener<ApolloContext> = {
    async didResolveOperation({ document, operation: node, contextValue: { state } }) {
      if (node === undefined) return;
      const { request, known, cost } = state.admitted;
      // The document was not measured, so it is refused. For example, another request has just registered this persisted query.
      if (known === undefined) throw new GraphQLError('PersistedQueryNotFound', { extensions: UNKNOWN_QUERY });
      checkTransport(state.transport, node);
      const { operationName, variables: variableValues = {} } = request;
      state.operation = { document, documentHash: known.hash, node, operationName, variableValues, cost };
    },

    async responseForOperation({ contextValue, response: { http } }) {
      const { operation, transport } = contextValue.state;
      if (operation?.node.operation === 'query') {
        const execute = documents.execution(operation.documentHash, operation.node.name?.value, operation.variableValues);
        const data = await execute?.(contextValue);
        return data ? { http, body: { kind: 'single', singleResult: { data } } } : null;
      }
      if (operation?.node.operation !== 'subscription') return null;
      const watch = await createSourceEventStream({ ...operation, schema, contextValue });
      if (watch instanceof Watch) {
        const { lastSeen = watch.after } = transport;
        contextValue.state.watch = new Watch(watch.field, watch.agent, lastSeen);
        return { http, body: { kind: 'single', singleResult: {} } };
      }
      const { errors = [] } = watch as ExecutionResult;
      const singleResult = { errors: errors.map((error) => formatError(deps, error)) };
      return { http, body: { kind: 'single', singleResult } };
    },

    async willSendResponse({ contextValue: { replayed, state }, errors, response: { body, http } }) {
      state.isComplete = errors === undefined;
      state.isWellFormed = errors?.every(isWellFormed) ?? true;
      if (body.kind !== 'single') return;
      // The cost is the same for everybody, so cached answers may contain it. The remaining points differ by caller, so they may
      // not.
      const cost = { requested: state.admitted.cost };
      body.singleResult.extensions = replayed.length > 0 ? { idempotentReplayed: replayed, cost } : { cost };
      if (replayed.length > 0) http.headers.set('idempotent-replayed', 'true');
    },
  };
  return { requestDidStart: async () => listener };
}

/** Extensions of the error by which Apollo Server refuses an unknown persisted query. */
const UNKNOWN_QUERY = { code: 'PERSISTED_QUERY_NOT_FOUND', http: { status: 200 } };

function checkTransport({ isLive, mayWrite }: Transport, { operation }: OperationDefinitionNode): void {
  if (operation === 'mutation' && !mayWrite) throw httpError(new AppError('METHOD_NOT_ALLOWED', { allow: 'POST' }));
  if (operation === 'subscription' && !isLive) {
    const expected = 'text/event-stream, or subscribe over WebSocket: docs/live.md says how';
    throw httpError(new AppError('INVALID_FIELD', { field: 'Accept', expected }));
  }
}

/** An error of the service with its HTTP status and headers, which Apollo Server sends. */
function httpError(error: AppError): GraphQLError {
  const { message, status } = error;
  const http = { status, headers: new HeaderMap(Object.entries(problemHeaders(error))) };
  const extensions: Record<string, unknown> = { http };
  return new GraphQLError(message, { originalError: error, extensions });
}

/** Codes of Apollo Server for well-formed requests that it does not execute. */
const REFUSED: ReadonlySet<unknown> = new Set([
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'BAD_USER_INPUT',
  'OPERATION_RESOLUTION_FAILURE',
]);

/** Whether an error is about the document or its values. An error with a status and another code is about the HTTP request. */
const isWellFormed = ({ extensions: { code, http } }: GraphQLError): boolean => http === undefined || REFUSED.has(code);
