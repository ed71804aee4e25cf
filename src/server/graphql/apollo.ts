import { ApolloServer, type ApolloServerPlugin, type GraphQLRequestListener, HeaderMap } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginSchemaReportingDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import {
  createSourceEventStream,
  type DocumentNode,
  type ExecutionResult,
  GraphQLError,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import type { Deps } from '../../deps.js';
import { AppError } from '../../errors.js';
import { problemHeaders } from '../http/problem.js';
import { Watch } from '../live/watch.js';
import type { Admitted } from './admit.js';
import type { GraphContext } from './context.js';
import type { Documents } from './documents.js';
import { formatError, graphError } from './format.js';

/** Headers that a page of another site cannot send. A GET request needs one of them, or Content-Type: application/json. */
export const PREFLIGHT_HEADERS = ['apollo-require-preflight', 'x-apollo-operation-name'];

export type Operation = {
  readonly document: DocumentNode;
  readonly documentHash: string;
  readonly node: OperationDefinitionNode;
  readonly operationName: string | undefined;
  readonly variableValues: Readonly<Record<string, unknown>>;
  readonly cost: number;
  readonly price: number;
};

/** What the transport of a request tells the plugin. */
export type Transport = {
  /** Whether it can send the events of a subscription. */
  readonly isLive: boolean;
  /** Whether another site cannot forge its requests, so that they may change something. */
  readonly mayWrite: boolean;
  /** Sequence of the last event that the client received, if the transport knows it. */
  readonly lastSeen?: string | undefined;
};

/** State of one request that its transport and the plugin share. */
export type RequestState = {
  readonly admitted: Admitted;
  readonly transport: Transport;
  operation?: Operation;
  /** What the subscription watches, if it was accepted. */
  watch?: Watch;
  /** Whether Apollo Server found no error. */
  isComplete?: boolean;
  /** Whether the errors say that the document or its values are wrong, not the HTTP request. */
  isWellFormed?: boolean;
};

/** Apollo Server copies the context, but not the objects in it. */
export type ApolloContext = GraphContext & { readonly state: RequestState };

export function apolloServer(deps: Deps, schema: GraphQLSchema, documents: Documents): ApolloServer<ApolloContext> {
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
      plugin(deps, schema),
    ],
  });
}

/** Executes only what was measured and what the transport can do, starts subscriptions, and marks replayed mutations. */
function plugin(deps: Deps, schema: GraphQLSchema): ApolloServerPlugin<ApolloContext> {
  const listener: GraphQLRequestListener<ApolloContext> = {
    async didResolveOperation({ document, operation: node, contextValue: { state } }) {
      if (node === undefined) return;
      const { request, known, cost, price } = state.admitted;
      // The document was not measured. For example, another request has just registered this persisted query.
      if (known === undefined) throw new GraphQLError('PersistedQueryNotFound', { extensions: UNKNOWN_QUERY });
      checkTransport(state.transport, node);
      const { operationName, variables: variableValues = {} } = request;
      state.operation = { document, documentHash: known.hash, node, operationName, variableValues, cost, price };
    },

    async responseForOperation({ contextValue, response: { http } }) {
      const { operation, transport } = contextValue.state;
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
      if (replayed.length === 0 || body.kind !== 'single') return;
      body.singleResult.extensions = { idempotentReplayed: replayed };
      http.headers.set('idempotent-replayed', 'true');
    },
  };
  return { requestDidStart: async () => listener };
}

/** How Apollo Server refuses an unknown persisted query. */
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

/** An error that has a status, but none of these codes, is about the HTTP request. */
const isWellFormed = ({ extensions: { code, http } }: GraphQLError): boolean => http === undefined || REFUSED.has(code);
