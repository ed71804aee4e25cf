import { createSourceEventStream, type ExecutionResult, execute, type GraphQLSchema } from 'graphql';
import { Watch } from '../live/watch.js';
import { QueryCompiler } from './compile.js';
import type { GraphContext } from './context.js';
import { RefusedRequest } from './refused-request.js';
import type { Operation } from './validate.js';

/** Stage 5: executes operations, and starts subscriptions. */
export class Executor {
  readonly #compiler: QueryCompiler;

  constructor(private readonly schema: GraphQLSchema) {
    this.#compiler = new QueryCompiler(schema);
  }

  /** Executes an operation. `rootValue` is the event if the operation is a subscription. */
  async execute(operation: Operation, contextValue: GraphContext, rootValue?: unknown): Promise<ExecutionResult> {
    const { schema } = this;
    const compiled = this.#compiler.find(operation);
    if (compiled) {
      const result = await compiled(undefined, contextValue, operation.variableValues);
      // A compiled query returns no data if the variables are wrong. graphql-js then executes it again, because its
      // errors are better.
      if ('data' in result) return result;
    }
    return execute({ ...operation, schema, contextValue, rootValue });
  }

  /** Returns the events that a subscription watches. `lastSeen` takes precedence over its argument `after`. */
  async subscribe(operation: Operation, contextValue: GraphContext, lastSeen?: string): Promise<Watch> {
    const watch = await createSourceEventStream({ ...operation, schema: this.schema, contextValue });
    if (watch instanceof Watch) return lastSeen === undefined ? watch : new Watch(watch.field, watch.agent, lastSeen);
    const errors = 'errors' in watch ? (watch.errors ?? []) : [];
    // Errors without a path are about the variables.
    for (const error of errors) if (error.path === undefined) error.extensions.code ??= 'BAD_USER_INPUT';
    throw new RefusedRequest(errors);
  }
}
