import type { ApolloServer, HTTPGraphQLHead, HTTPGraphQLRequest, HTTPGraphQLResponse } from '@apollo/server';
import { type Span, SpanStatusCode } from '@opentelemetry/api';
import {
  execute,
  type FormattedExecutionResult,
  type GraphQLFormattedError,
  type GraphQLSchema,
  getOperationAST,
  type OperationDefinitionNode,
} from 'graphql';
import type { Deps } from '../../deps.js';
import { outageOf } from '../../observe/outage.js';
import { tracedOperation } from '../../observe/spans.js';
import type { Cache } from '../../store/cache.js';
import type { Watch } from '../live/watch.js';
import { publicReadDeps } from '../perform.js';
import { Admission, type Admitted, type Call, type Caller } from './admit.js';
import { type ApolloContext, apolloServer, type Operation, type RequestState, type Transport } from './apollo.js';
import { contextOf, type GraphContext } from './context.js';
import { Documents } from './documents.js';
import { formatError } from './format.js';

export type HttpAnswer = HTTPGraphQLResponse & { readonly state: RequestState };

/** A request of plain HTTP that was admitted. */
export type HttpExecution = Admitted & {
  /** The cache for the answer, if it would be the same for every other caller without a key. */
  readonly cache: Cache | undefined;
  /** Lets Apollo Server answer the request, which must contain the fields of `request`. */
  readonly execute: (request: HTTPGraphQLRequest) => Promise<HttpAnswer>;
};

/** A subscription that was accepted. The hub sends its events. */
export type Subscription = { readonly operation: Operation; readonly watch: Watch; readonly context: GraphContext };

type Outcome =
  | ({ readonly kind: 'subscription' } & Subscription)
  | { readonly kind: 'answer'; readonly operation: Operation; readonly result: FormattedExecutionResult };

/** Thrown for a request of a live transport that Apollo Server did not execute. */
export class RefusedRequest extends Error {
  constructor(
    readonly errors: readonly GraphQLFormattedError[],
    readonly http: HTTPGraphQLHead,
  ) {
    super(errors[0]?.message);
  }
}

/** Apollo Server for every transport, with the limits and the context of the service. */
export class Engine {
  readonly #admission: Admission;
  readonly #server: ApolloServer<ApolloContext>;

  constructor(
    private readonly deps: Deps,
    readonly schema: GraphQLSchema,
    /** Documents that stay parsed. */
    known: readonly string[] = [],
  ) {
    const documents = new Documents(schema, known);
    this.#admission = new Admission(deps, schema, documents);
    this.#server = apolloServer(deps, schema, documents);
  }

  start = (): Promise<void> => this.#server.start();

  /** Admits a request of plain HTTP. `answer` lets Apollo Server execute it, or finds an answer elsewhere. */
  http<T>(call: Call, answer: (execution: HttpExecution) => Promise<T>): Promise<T> {
    return tracedOperation('graphql', async (span) => {
      const admitted = await this.#admit(call, span);
      const source = this.#sourceOf(call, admitted);
      const execute = async (httpGraphQLRequest: HTTPGraphQLRequest) => {
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

  /** Answers a request of a live transport, as a trace of its own if none is running. Throws RefusedRequest or an AppError if it is refused. */
  live(call: Call, transport: Omit<Transport, 'isLive'>): Promise<Outcome> {
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

  async #admit(call: Call, span: Span): Promise<Admitted> {
    const admitted = await this.#admission.admit(call);
    const node = admitted.known && getOperationAST(admitted.known.document, admitted.request.operationName);
    if (node) describe(span, node);
    return admitted;
  }

  /** Where an operation reads. Only public queries may read from a replica of the database. */
  #sourceOf({ actor, ip }: Caller, { known }: Admitted): Deps {
    return this.deps.reads && known?.isPublic ? publicReadDeps(this.deps, actor?.keyHash, ip) : this.deps;
  }

  #contextOf(source: Deps, { actor, ip }: Caller, state: RequestState): ApolloContext {
    return { ...contextOf(source, actor, ip), state };
  }

  /** Executes and formats a subscription for one event. Throws if the database is unavailable, so that the hub retries. */
  async answerEvent(operation: Operation, contextValue: GraphContext, rootValue: unknown): Promise<string> {
    const { data, errors } = await execute({ ...operation, schema: this.schema, contextValue, rootValue });
    const outage = errors?.find((error) => outageOf(error));
    if (outage) throw outage;
    return JSON.stringify({ errors: errors?.map((error) => formatError(this.deps, error)), data });
  }
}

const MAX_NAME = 100;

function describe(span: Span, { operation, name }: OperationDefinitionNode): void {
  span.updateName(`graphql ${operation}`).setAttribute('graphql.operation.type', operation);
  if (name) span.setAttribute('graphql.operation.name', name.value.slice(0, MAX_NAME));
}
