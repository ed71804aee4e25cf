import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  type OperationDefinitionNode,
  validate,
} from 'graphql';
import type { AdmittedRequest } from './admit.js';
import { refused } from './refused-request.js';

/** An operation that was admitted and is valid. */
export type Operation = AdmittedRequest & { readonly node: OperationDefinitionNode };

/** Stage 3: validates each document once, and finds the operation to execute. */
export class Validator {
  readonly #validDocuments = new WeakSet<DocumentNode>();

  constructor(private readonly schema: GraphQLSchema) {}

  validate(request: AdmittedRequest): Operation {
    const { document, operationName } = request;
    if (!this.#validDocuments.has(document)) {
      const errors = validate(this.schema, document);
      if (errors.length > 0) throw refused('GRAPHQL_VALIDATION_FAILED', errors);
      this.#validDocuments.add(document);
    }
    const node = getOperationAST(document, operationName);
    if (node) return { ...request, node };
    const message = operationName ? `Unknown operation named "${operationName}".` : 'Must provide operationName.';
    throw refused('OPERATION_RESOLUTION_FAILURE', [new GraphQLError(message)]);
  }
}
