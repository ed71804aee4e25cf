import type { ApolloServer } from '@apollo/server';
import { type ExecutionResult, GraphQLError, type GraphQLSchema } from 'graphql';
import type { Deps } from '../../../deps.js';
import { AppError } from '../../../errors.js';
import { inRequest } from '../../../outage.js';
import { withinDeadline } from '../../http/deadline.js';
import type { Admission } from '../engine/admission.js';
import type { GraphContext } from '../engine/context.js';
import { errorBody } from '../engine/errors.js';
import type { GraphRequest } from '../engine/request.js';
import { Hub } from './hub.js';
import { Places } from './places.js';

/** Per address, and counted by each replica for itself. Off with the limits, for benchmarks. */
const MOST_CONNECTIONS = 100;
const MOST_SUBSCRIPTIONS = 1000;

/** What the ways of subscribing share. */
export class LiveFace {
  readonly hub: Hub;
  /** What ends each open connection when the service stops. */
  readonly open = new Set<() => void>();
  closed = false;
  readonly #connections: Places;
  readonly #subscriptions: Places;

  constructor(
    readonly deps: Deps,
    readonly schema: GraphQLSchema,
    readonly admission: Admission,
    private readonly apollo: ApolloServer<GraphContext>,
  ) {
    this.hub = new Hub(deps, schema);
    const limited = deps.config.RATE_LIMITS === 'on';
    this.#connections = new Places('connections', limited ? MOST_CONNECTIONS : Number.POSITIVE_INFINITY);
    this.#subscriptions = new Places('subscriptions', limited ? MOST_SUBSCRIPTIONS : Number.POSITIVE_INFINITY);
  }

  takeConnection = (ip: string): (() => void) => this.#connections.take(ip);
  takeSubscription = (ip: string): (() => void) => this.#subscriptions.take(ip);

  /** Queries and mutations, as over plain HTTP. The errors are formatted. */
  async execute(
    { query, operationName, variables }: GraphRequest,
    contextValue: GraphContext,
  ): Promise<ExecutionResult> {
    const request = { query, operationName, variables } as { query: string };
    const executed = inRequest(() => withinDeadline(this.apollo.executeOperation(request, { contextValue })));
    const answer = await executed.catch((error: unknown) => {
      if (error instanceof AppError) return { errors: [new GraphQLError(error.message, errorBody(error))] };
      throw error;
    });
    if (!('body' in answer)) return answer;
    const { body } = answer;
    if (body.kind !== 'single') throw new Error('an answer in parts, for which nobody asked');
    return body.singleResult as ExecutionResult;
  }

  /** Ends every connection, and takes no more. */
  close(): void {
    this.closed = true;
    for (const end of [...this.open]) end();
  }
}
