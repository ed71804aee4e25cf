import {
  createSourceEventStream,
  type DocumentNode,
  execute,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
  parse,
  validate,
  visit,
} from 'graphql';
import type { Deps } from '../../../deps.js';
import { AppError } from '../../../errors.js';
import { outageOf } from '../../../outage.js';
import type { WindowState } from '../../access/rate-limit.js';
import type { Admission } from '../engine/admission.js';
import type { GraphContext } from '../engine/context.js';
import { formatError } from '../engine/errors.js';
import { type GraphRequest, isRecord, persistedHash } from '../engine/request.js';
import { Watch } from './watch.js';

/** A request that was let in and is valid. */
export type Operation = {
  readonly document: DocumentNode;
  readonly node: OperationDefinitionNode;
  readonly operationName: string | undefined;
  readonly variableValues: Readonly<Record<string, unknown>>;
  /** Query cost of one execution. */
  readonly cost: number;
};

/** Why a request is not executed, in the words of GraphQL. */
export class Refused extends Error {
  constructor(readonly errors: readonly GraphQLError[]) {
    super(errors[0]?.message);
  }
}

const refusedAs = (code: string, errors: readonly GraphQLError[]): Refused => {
  for (const error of errors) error.extensions.code = code;
  return new Refused(errors);
};

/** An error of ours among those of graphql-js. */
export const graphError = (error: Error): GraphQLError => new GraphQLError(error.message, { originalError: error });

const valid = new WeakSet<DocumentNode>();

/** Lets a request in that did not come over plain HTTP, where Apollo validates. Throws Refused or an AppError. */
export async function readOperation(
  { schema, admission }: { readonly schema: GraphQLSchema; readonly admission: Admission },
  { actor, ip }: GraphContext,
  request: GraphRequest,
  announce?: (windows: readonly WindowState[]) => void,
): Promise<Operation> {
  const { document, cost } = await admission.admit({ actor, ip }, request, announce);
  if (document === null) throw unreadable(request);
  const { variables } = request;
  if (variables != null && !isRecord(variables)) {
    throw new AppError('INVALID_FIELD', { field: 'variables', expected: 'an object' });
  }
  if (!valid.has(document)) {
    const errors = validate(schema, document);
    if (errors.length > 0) throw refusedAs('GRAPHQL_VALIDATION_FAILED', errors);
    valid.add(document);
  }
  const operationName = typeof request.operationName === 'string' ? request.operationName : undefined;
  const node = getOperationAST(document, operationName);
  if (!node) {
    const message = operationName ? `Unknown operation named "${operationName}".` : 'Must provide operationName.';
    throw refusedAs('OPERATION_RESOLUTION_FAILURE', [new GraphQLError(message)]);
  }
  return { document, node, operationName, variableValues: variables ?? {}, cost };
}

function unreadable(request: GraphRequest): Error {
  const { query } = request;
  if (query === undefined && persistedHash(request) !== undefined) {
    return refusedAs('PERSISTED_QUERY_NOT_FOUND', [new GraphQLError('PersistedQueryNotFound')]);
  }
  if (typeof query !== 'string') return new AppError('MISSING_FIELD', { field: 'query' });
  try {
    parse(query);
  } catch (error) {
    if (error instanceof GraphQLError) return refusedAs('GRAPHQL_PARSE_FAILED', [error]);
  }
  return new AppError('BAD_REQUEST');
}

/** What a subscription watches, as its field says. `lastSeen` goes before what its arguments say. */
export async function watchOf(
  schema: GraphQLSchema,
  operation: Operation,
  contextValue: GraphContext,
  lastSeen?: string,
): Promise<Watch> {
  const watch = await createSourceEventStream({ schema, contextValue, ...operation });
  if (watch instanceof Watch) return lastSeen === undefined ? watch : new Watch(watch.field, watch.agent, lastSeen);
  const errors = 'errors' in watch ? (watch.errors ?? []) : [];
  // Those without a place are of the variables.
  for (const error of errors) if (error.path === undefined) error.extensions.code ??= 'BAD_USER_INPUT';
  throw new Refused(errors);
}

/** The answer to a subscription for one event, as it is sent to all who asked the same. */
export async function answerOf(
  deps: Deps,
  schema: GraphQLSchema,
  { document, operationName, variableValues }: Operation,
  contextValue: GraphContext,
  rootValue: unknown,
): Promise<string> {
  const { data, errors } = await execute({ schema, document, operationName, variableValues, contextValue, rootValue });
  // The event would be lost to its subscribers; the hub tries again.
  const outage = errors?.find((error) => outageOf(error));
  if (outage) throw outage;
  const formatted = errors?.map((error) => formatError(deps, error.toJSON(), error));
  return JSON.stringify(formatted ? { errors: formatted, data } : { data });
}

const numbers = new WeakMap<DocumentNode, number>();
let counted = 0;

/**
 * The same for those to whom the same answers are sent: they ask the same, of the same, and see the same. What they have
 * seen before makes no difference, where it is a variable that says nothing else.
 */
export function sharedBy(
  { document, node, operationName, variableValues }: Operation,
  watch: Watch,
  viewer: string | null,
) {
  const number = numbers.get(document) ?? ++counted;
  numbers.set(document, number);
  const uses = new Map<string, number>();
  const positions = new Set<string>();
  visit(document, {
    VariableDefinition: () => false,
    Variable: ({ name }) => void uses.set(name.value, (uses.get(name.value) ?? 0) + 1),
    // Lists below have an argument of that name, too.
    Field: ({ name, arguments: given = [] }) => {
      const after = name.value === watch.field && given.find((argument) => argument.name.value === 'after')?.value;
      if (after && after.kind === Kind.VARIABLE) positions.add(after.name.value);
    },
  });
  const declared = (node.variableDefinitions ?? []).map(({ variable }) => variable.name.value);
  const own = declared.filter((name) => !(positions.has(name) && uses.get(name) === 1));
  // One that was left out has its default, which null has not.
  const values = own.map((name) => (Object.hasOwn(variableValues, name) ? [name, variableValues[name]] : [name]));
  return JSON.stringify([number, operationName, values, watch.field, watch.agent, viewer]);
}
