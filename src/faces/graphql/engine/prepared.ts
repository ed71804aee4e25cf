import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  type GraphQLSchema,
  getOperationAST,
  validate,
} from 'graphql';
import type { CompiledQuery } from 'graphql-jit';
import { compile, neverNull } from './compiled.js';
import type { GraphContext } from './context.js';
import { asksForNeverKept } from './never.js';

type Variables = { readonly [name: string]: unknown };

/** A query that is valid, and how it is answered. */
export type PreparedQuery = {
  /** Of no other document in this process. */
  readonly id: number;
  /** Whether its answer may be kept for others. */
  readonly isPublic: boolean;
  run(context: GraphContext, variables: Variables): Promise<ExecutionResult>;
};

/** Compiling costs as much as answering some hundred times less the compiled way: not for what comes once. */
const COMPILED_FROM = 3;

/**
 * Validates each document once, and compiles those that come again. What is known of a document lives as long as the
 * document itself, which the admission keeps or forgets.
 */
export function preparation(schema: GraphQLSchema) {
  const known = new WeakMap<DocumentNode, Document | null>();
  let ids = 0;
  return {
    /** Null for what is no valid query: the server then says why, or does what it asks. */
    query(document: DocumentNode, operationName: string | undefined): PreparedQuery | null {
      let prepared = known.get(document);
      if (prepared === undefined) {
        prepared = validate(schema, document).length === 0 ? new Document(schema, document, ++ids) : null;
        known.set(document, prepared);
      }
      return prepared?.query(operationName) ?? null;
    },
  };
}

class Document {
  #runs = 0;
  #compiled: CompiledQuery['query'] | null | undefined;
  #neverNull: ReadonlySet<string> | undefined;
  private readonly isPublic: boolean;

  constructor(
    private readonly schema: GraphQLSchema,
    private readonly document: DocumentNode,
    private readonly id: number,
  ) {
    this.isPublic = !asksForNeverKept(schema, document);
  }

  query(operationName: string | undefined): PreparedQuery | null {
    if (getOperationAST(this.document, operationName)?.operation !== 'query') return null;
    return {
      id: this.id,
      isPublic: this.isPublic,
      run: (context, variables) => this.run(context, operationName, variables),
    };
  }

  private hasWrongNull(variableValues: Variables): boolean {
    this.#neverNull ??= neverNull(this.schema, this.document);
    return this.#neverNull.size > 0 && [...this.#neverNull].some((name) => variableValues[name] === null);
  }

  private async run(
    contextValue: GraphContext,
    operationName: string | undefined,
    variableValues: Variables,
  ): Promise<ExecutionResult> {
    const { schema, document } = this;
    if (this.#compiled === undefined && ++this.#runs >= COMPILED_FROM) this.#compiled = compile(schema, document);
    if (this.#compiled && !this.hasWrongNull(variableValues)) {
      const result = await this.#compiled(undefined, contextValue, variableValues);
      // Without data nothing was executed: graphql-js says better what is wrong with the variables.
      if ('data' in result) return result;
    }
    return execute({ schema, document, contextValue, operationName, variableValues });
  }
}
